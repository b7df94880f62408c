// SPDX-License-Identifier: MIT
// The question on a command line, `confab -p TEXT FILE...`, including what is piped in, and the
// template it is asked with.
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

// How to treat standard input. No piped input is lost, and every wait is announced.
enum class InputWish {
  none,
  // A pipe that stays silent for the grace period is ignored: it may be inherited, with nobody
  // writing to it.
  if_there,
  // Waits for a pipe.
  awaited,
  // Also waits for a terminal, or anything else.
  asked_for,
};

struct InputPatience {
  std::chrono::milliseconds grace{200};
  std::chrono::milliseconds silent{1000};  // after this, the wait is announced
  std::size_t max_bytes = std::size_t{64} << 20;
};

// Reads all input from a descriptor. Returns "" if it is closed, at its end or ignored, or if it is
// a device that was not asked for (a terminal, /dev/null). Passes `tell` a line, without a full
// stop, about a wait or ignored input. Throws UserError if reading fails or the input is too large.
std::string read_input(int fd, InputWish wish, const std::function<void(std::string_view)>& tell,
                       const InputPatience& patience = {});

// Combines the piped input (unless a file named "-" stands for it), the files and the text. Without
// a text, the piped input becomes the text, unless the template's instruction has no place for one.
// The text includes the instruction. Passes `tell` a line about waits and about input that was left
// out or converted. Throws UserError if something cannot be read.
Question read_question(const ChatOptions& options,
                       const std::function<void(std::string_view)>& tell);

// The question of `confab -p`, with the template chosen for it (app/prompts/router.h) and the
// resulting options.
class RoutedQuestion {
 public:
  using Tell = std::function<void(std::string_view)>;

  // Reads the question, applies the rules to choose a template, and reports what the template
  // changes. Throws like read_question(), and UsageError if there is no question or no such
  // template.
  RoutedQuestion(const ChatOptions& options, const Paths& paths, Tell tell);

  // The options of the run. A template that the model chooses changes only the answer's options.
  const ChatOptions& options() const noexcept { return options_; }
  // Asks the model for the class, if the rules are in doubt and the route allows it. `wait` sleeps
  // until the model has an event. If it returns false, the question is given up and this returns
  // false.
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
