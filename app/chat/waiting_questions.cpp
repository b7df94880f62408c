// SPDX-License-Identifier: MIT
#include "app/chat/waiting_questions.h"

#include <utility>

namespace confab::app {

std::optional<std::string> WaitingQuestions::next() {
  if (questions_.empty()) return std::nullopt;
  std::string question = std::move(questions_.front());
  questions_.pop_front();
  return question;
}

std::optional<std::string> WaitingQuestions::take_last() {
  if (questions_.empty()) return std::nullopt;
  std::string question = std::move(questions_.back());
  questions_.pop_back();
  return question;
}

std::string WaitingQuestions::take_back(std::string_view draft) {
  std::string text;
  for (const std::string& question : std::exchange(questions_, {})) text += question + '\n';
  if (draft.empty() && !text.empty()) text.pop_back();
  return text.append(draft);
}

}  // namespace confab::app
