// SPDX-License-Identifier: MIT
#include "app/chat/question.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "app/chat/message_path.h"
#include "app/chat/standard_input.h"
#include "app/error.h"
#include "app/paths.h"

namespace confab::app {
namespace {

std::string checked_text(std::string text, const std::string& name) {
  if (const std::size_t at = text.find('\0'); at != std::string::npos)
    throw UserError(fmt::format("{}: is not a text file (a NUL byte at offset {})", name, at));
  return text;
}

std::string trimmed_end(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// A fence longer than any run of backquotes in the text, so that the text cannot close it.
std::string fence_for(const std::string& text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

std::string compose(std::span<const sessions::Attachment> attachments, const std::string& text) {
  std::string prompt;
  for (const sessions::Attachment& file : attachments) {
    if (!file.content) continue;
    const std::string& content = *file.content;
    const std::string fence = fence_for(content);
    const bool ends_line = !content.empty() && content.back() == '\n';
    if (file.name != "-") prompt += fmt::format("{}:\n", file.name);
    if (file.name == "-" && attachments.size() == 1)
      prompt += fmt::format("{}{}\n", content, ends_line ? "" : "\n");
    else
      prompt += fmt::format("{}\n{}{}{}\n\n", fence, content, ends_line ? "" : "\n", fence);
  }
  return prompt + text;
}

std::vector<sessions::Attachment> read_piped_input(InputWish wish) {
  std::string text = read_input(
      STDIN_FILENO, wish, [](std::string_view line) { fmt::print(stderr, "confab: {}\n", line); });
  if (text.empty()) return {};
  return {sessions::make_attachment("-", checked_text(std::move(text), "standard input"))};
}

}  // namespace

// What is piped in comes first, unless a file is called "-" and stands for it.
Question read_question(const ChatOptions& options) {
  const bool is_named = std::ranges::find(options.files, "-") != options.files.end();
  const bool is_awaited = options.files.empty() || options.prompt->empty();
  const InputWish wish = is_named || !options.read_stdin ? InputWish::none
                         : is_awaited                    ? InputWish::awaited
                                                         : InputWish::if_there;
  Question question(*options.prompt, read_piped_input(wish), options);
  if (question.text.empty() && !question.attachments.empty()) {
    question.text = trimmed_end(*question.attachments.front().content);
    question.attachments.clear();
  }
  for (const std::string& file : options.files) {
    if (file != "-") {
      question.attachments.push_back(read_attachment(file));
      continue;
    }
    std::vector<sessions::Attachment> input = read_piped_input(InputWish::asked_for);
    if (input.empty()) throw UserError("-: standard input is empty");
    question.attachments.push_back(std::move(input.front()));
  }
  return question;
}

sessions::Attachment read_attachment(const std::string& path) {
  const std::string file = expand_home(path);
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw UserError(fmt::format("{}: is a directory; give files", path));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
  return sessions::make_attachment(std::filesystem::path(file).filename().string(),
                                   checked_text(std::move(text), path));
}

sessions::Message message_of(Question question) {
  sessions::Message message = new_message(sessions::Role::user, std::move(question.text));
  message.attachments = std::move(question.attachments);
  return message;
}

Question question_of(const sessions::NewMessage& message) {
  return {message.content, message.attachments};
}

std::string prompt_of(const sessions::NewMessage& message) {
  return compose(message.attachments, message.content);
}

std::string prompt_of(const Question& question) {
  return compose(question.attachments, question.text);
}

}  // namespace confab::app
