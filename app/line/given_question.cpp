// SPDX-License-Identifier: MIT
#include "app/line/given_question.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "app/attach/reader.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/prompts/template_call.h"

namespace confab::app {
namespace {

bool is_wanted(int fd, InputWish wish) {
  struct stat status {};
  if (wish == InputWish::none || fstat(fd, &status) != 0) return false;
  return wish == InputWish::asked_for || S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) ||
         S_ISSOCK(status.st_mode);
}

// Returns false if the time is up. A limit of nullopt waits forever.
bool wait_for_input(int fd, std::optional<std::chrono::milliseconds> limit) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  const int timeout = limit ? static_cast<int>(limit->count()) : -1;
  int n_ready = 0;
  do n_ready = poll(&wait, 1, timeout);
  while (n_ready < 0 && errno == EINTR);
  return n_ready != 0;
}

// Returns false at the end of the input.
bool read_some(int fd, std::string& text) {
  std::array<char, 65536> bytes;
  const ssize_t n = ::read(fd, bytes.data(), bytes.size());
  if (n > 0) text.append(bytes.data(), static_cast<std::size_t>(n));
  if (n >= 0) return n > 0;
  if (errno == EINTR || errno == EAGAIN) return true;
  throw UserError(fmt::format("standard input: cannot be read: {}", std::strerror(errno)));
}

std::string without_end(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// Piped input is awaited, unless the question may consist of something else.
InputWish wish_of(const ChatOptions& options) {
  const bool is_named = std::ranges::find(options.files, "-") != options.files.end();
  if (is_named || !options.read_stdin) return InputWish::none;
  return options.files.empty() || (options.prompt->empty() && options.instruction.empty())
             ? InputWish::awaited
             : InputWish::if_there;
}

}  // namespace

std::string read_input(int fd, InputWish wish, const std::function<void(std::string_view)>& tell,
                       const InputPatience& patience) {
  if (!is_wanted(fd, wish)) return {};
  std::string text;
  std::optional<std::chrono::milliseconds> limit =
      wish == InputWish::if_there ? patience.grace : patience.silent;
  if (isatty(fd) == 1) {
    tell("reading standard input; Ctrl+D ends it");
    limit.reset();
  }
  for (;;) {
    if (!wait_for_input(fd, limit)) {
      if (wish == InputWish::if_there && text.empty()) {
        tell("ignoring standard input, which is silent; to wait for it, add - as a file");
        return {};
      }
      tell("waiting for standard input to end; Ctrl+C quits, --no-stdin ignores it");
      limit.reset();
    } else if (!read_some(fd, text)) {
      return text;
    } else if (text.size() > patience.max_bytes) {
      throw UserError(
          fmt::format("standard input: more than {}, the most that can be attached; "
                      "give a part of it",
                      size_text(patience.max_bytes)));
    } else if (limit) {
      limit = patience.silent;
    }
  }
}

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
  const bool is_alone = options.instruction.size() == 1;  // has no place for the text
  if (question.text.empty() && is_piped && !is_alone) {
    question.text = without_end(*read.files.front().content);
    read.files.erase(read.files.begin());
  }
  question.attachments = std::move(read.files);
  question.text = instructed(options.instruction, question.text);
  return question;
}

namespace {

// A template named on the command line applies from the start, so its model and context settings
// count, and its instruction affects how piped input is used.
ChatOptions with_template(const PromptTemplate* named, ChatOptions options) {
  if (named == nullptr) return options;
  options.instruction = filled(*named, options.template_arguments);
  apply(*named, options);
  return options;
}

void require_something(const ChatOptions& options, const Question& question,
                       const PromptTemplate* named) {
  if (!question.attachments.empty()) return;
  if (question.text.empty())
    throw UsageError("-p needs a question: confab -p \"QUESTION\", or pipe one into confab -p");
  if (named == nullptr || !(named->is_built_in() || named->has_input())) return;
  if (!options.instruction.empty() && question.text == instructed(options.instruction, ""))
    throw UsageError(
        fmt::format("{0} needs something to work on: confab {0} FILE, or pipe it into "
                    "confab {0}",
                    named->name));
}

}  // namespace

RoutedQuestion::RoutedQuestion(const ChatOptions& options, const Paths& paths, Tell tell)
    : tell_(std::move(tell)),
      router_(TemplateSet::load(paths.templates), options),
      options_(with_template(router_.named(), options)),
      question_(read_question(options_, tell_)) {
  for (const std::string& fault : router_.templates().faults()) tell_(fault);
  require_something(options_, question_, router_.named());
  if (router_.named() != nullptr) return;
  decision_ = router_.decide(question_.text, names_of(question_.attachments));
  if (decision_.asked_with == nullptr) return;
  const std::vector<std::string> changed = apply(*decision_.asked_with, options_);
  question_.options = options_;
  use(changed);
}

bool RoutedQuestion::ask_model(engine::ChatModel& model, const std::function<bool()>& wait) {
  if (!router_.asks_model(decision_)) return true;
  const engine::AnswerId id =
      model.score(router_.request(question_.text, names_of(question_.attachments)));
  for (;;) {
    const bool goes_on = wait();
    if (!goes_on) model.cancel(id);
    while (const auto told = model.next_event()) {
      if (told->answer != id || !engine::is_end(told->event)) continue;
      const auto* scored = std::get_if<engine::Scored>(&told->event);
      if (scored == nullptr) return goes_on;  // asked without a template
      decision_ = router_.decide(*scored);
      if (decision_.asked_with != nullptr) use(apply(*decision_.asked_with, *question_.options));
      return goes_on;
    }
  }
}

// The question's text stays; the template's instruction goes before or around it.
void RoutedQuestion::use(const std::vector<std::string>& changed) {
  const std::vector<std::string> instruction = filled(*decision_.asked_with, {});
  question_.text = instructed(instruction, question_.text);
  if (changed.empty() && instruction.empty()) return;
  tell_(told_of(decision_, changed) + "; --route off asks as it is");
}

}  // namespace confab::app
