// SPDX-License-Identifier: MIT
#include "app/line/given_question.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/attach/reader.h"
#include "app/attach/standard_input.h"
#include "app/error.h"
#include "app/prompts/template_call.h"

namespace confab::app {
namespace {

std::string without_end(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// What is piped in is waited for, but not where there may be something else to answer.
InputWish wish_of(const ChatOptions& options) {
  const bool is_named = std::ranges::find(options.files, "-") != options.files.end();
  if (is_named || !options.read_stdin) return InputWish::none;
  return options.files.empty() || (options.prompt->empty() && options.instruction.empty())
             ? InputWish::awaited
             : InputWish::if_there;
}

}  // namespace

Question read_question(const ChatOptions& options,
                       const std::function<void(std::string_view)>& tell) {
  Reader reader({.keep_html = options.once.keep_html, .reads_pipes = true});
  const auto read_piped = [&](InputWish wish) {
    std::string bytes = read_input(STDIN_FILENO, wish, tell);
    const bool has_come = !bytes.empty();
    if (has_come) reader.add_piped(std::move(bytes));
    return has_come;
  };
  Question question(*options.prompt, {}, options);
  const bool is_piped = read_piped(wish_of(options));
  for (const std::string& file : options.files) {
    if (file != "-")
      reader.add(file);
    else if (!read_piped(InputWish::asked_for))
      throw UserError("-: standard input is empty");
  }
  Attached read = reader.take();
  for (const std::string& notice : read.notices) tell(notice);
  const bool is_alone = options.instruction.size() == 1;  // and so has no place for the text
  if (question.text.empty() && is_piped && !is_alone) {
    question.text = without_end(*read.files.front().content);
    read.files.erase(read.files.begin());
  }
  question.attachments = std::move(read.files);
  question.text = instructed(options.instruction, question.text);
  return question;
}

}  // namespace confab::app
