// SPDX-License-Identifier: MIT
#include "app/line/answers_in_turn.h"

#include <algorithm>
#include <utility>

namespace confab::app {

AnswersInTurn::Waiting& AnswersInTurn::waiting(std::size_t answer) {
  waiting_.resize(std::max(waiting_.size(), answer + 1));
  return waiting_[answer];
}

void AnswersInTurn::progress(std::size_t answer, const AnswerWait& wait) {
  if (answer == turn_) sink_.progress(answer, wait);
}

void AnswersInTurn::reasoning(std::size_t answer, const engine::ReasoningDelta& delta) {
  if (answer == turn_) return sink_.reasoning(answer, delta);
  engine::ReasoningDelta& all = waiting(answer).reasoning;
  engine::append(delta, all.text, waiting(answer).text.text);
  all.n_generated = delta.n_generated;
}

bool AnswersInTurn::text(std::size_t answer, const engine::TextDelta& delta) {
  if (answer == turn_) return sink_.text(answer, delta);
  engine::TextDelta& all = waiting(answer).text;
  all.text += delta.text;
  all.n_generated = delta.n_generated;
  return true;
}

void AnswersInTurn::ended(std::size_t answer, const AnswerOutcome& outcome) {
  waiting(answer).end = outcome;
  while (turn_ < waiting_.size() && waiting_[turn_].end) {
    sink_.ended(turn_, *waiting_[turn_].end);
    if (++turn_ < waiting_.size()) tell(turn_);
  }
}

void AnswersInTurn::tell(std::size_t answer) {
  const Waiting& said = waiting_[answer];
  if (!said.reasoning.text.empty()) sink_.reasoning(answer, said.reasoning);
  if (!said.text.text.empty()) sink_.text(answer, said.text);
}

}  // namespace confab::app
