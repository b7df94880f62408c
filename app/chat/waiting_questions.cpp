// SPDX-License-Identifier: MIT
#include "app/chat/waiting_questions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace confab::app {

std::optional<WaitingQuestion> WaitingQuestions::next() {
  if (questions_.empty()) return std::nullopt;
  WaitingQuestion question = std::move(questions_.front());
  questions_.pop_front();
  return question;
}

std::optional<WaitingQuestion> WaitingQuestions::take_last() {
  if (questions_.empty()) return std::nullopt;
  WaitingQuestion question = std::move(questions_.back());
  questions_.pop_back();
  return question;
}

WaitingQuestion WaitingQuestions::take_back(std::string_view draft) {
  WaitingQuestion all{""};
  for (WaitingQuestion& question : questions_) {
    all.text += question.text + '\n';
    std::ranges::move(question.files, std::back_inserter(all.files));
  }
  questions_.clear();
  if (draft.empty() && !all.text.empty()) all.text.pop_back();
  all.text.append(draft);
  return all;
}

}  // namespace confab::app
