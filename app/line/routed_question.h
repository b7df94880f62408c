// SPDX-License-Identifier: MIT
// The question of `confab -p` with the template that it is asked with (app/prompts/router.h), and
// the options that follow from it.
#pragma once

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
