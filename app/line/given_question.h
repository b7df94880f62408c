// SPDX-License-Identifier: MIT
// The question that a command line asks, `confab -p TEXT FILE...`, with what is piped into the
// program.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/chat/question.h"
#include "app/options.h"
#include "app/paths.h"
#include "app/prompts/router.h"
#include "engine/api/chat_model.h"

namespace confab::app {

// How standard input is read. Nothing that was piped in is lost, and nothing is waited for without
// a word.
enum class InputWish {
  none,
  // A pipe on which nothing comes within the grace is left alone, as one that was inherited and
  // that nobody writes to.
  if_there,
  // A pipe is waited for.
  awaited,
  // So is a terminal, and whatever else it may be.
  asked_for,
};

struct InputPatience {
  std::chrono::milliseconds grace{200};
  std::chrono::milliseconds silent{1000};  // from here on waiting is told
  std::size_t max_bytes = std::size_t{64} << 20;
};

// All of a descriptor's input; empty: it is closed, at its end, left alone, or a device that was
// not asked for (a terminal, /dev/null). `tell` gets a line, without a full stop, for a wait and
// for what was left alone. Throws UserError when it cannot be read, or has too many bytes.
std::string read_input(int fd, InputWish wish, const std::function<void(std::string_view)>& tell,
                       const InputPatience& patience = {});

// What is piped into standard input, unless a file is called "-" and
// stands for it, then the files, then the text. Where there is no text, what is piped in is the
// text, unless the instruction of a template has no place for one. The text comes back with the
// instruction. `tell` gets a line for what is waited for, was left out, or was not read as it is.
// Throws UserError when something cannot be read.
Question read_question(const ChatOptions& options,
                       const std::function<void(std::string_view)>& tell);

// The question of `confab -p` with the template that it is asked with (app/prompts/router.h), and
// the options that follow from it.
class RoutedQuestion {
 public:
  using Tell = std::function<void(std::string_view)>;

  // Reads the question, and asks the rules about it. What a template has changed is told. Throws as
  // read_question() does, and UsageError: there is no question, or no such template.
  RoutedQuestion(const ChatOptions& options, const Paths& paths, Tell tell);

  // The options of the run. A template that the model chooses changes only how it answers.
  const ChatOptions& options() const noexcept { return options_; }
  // Where the rules are in doubt and that is wanted, asks the model. `wait` sleeps until the model
  // tells more; false: the question is given up, which is what this returns then.
  bool ask_model(engine::ChatModel& model, const std::function<bool()>& wait);
  Question take() { return std::move(question_); }

 private:
  void use(const std::vector<std::string>& changed);

  Tell tell_;
  Router router_;
  ChatOptions options_;
  Question question_;
  RouteDecision decision_;
};

}  // namespace confab::app
