// SPDX-License-Identifier: MIT
// What a generator does for answers that must have a shape, besides sampling.
#include <algorithm>

#include "engine/model/model.h"
#include "engine/run/generator_task.h"

namespace confab::engine {

// An answer that has a shape is ended in it before there is no room left for that.
bool Generator::closes_in_time(Task& task) {
  AnswerState& answer = task.answer;
  if (!answer.shape) return false;
  const int n_room = decoder_.n_ctx() - static_cast<int>(answer.context.size());
  const int n_left = answer.n_predict < 0 ? n_room : answer.n_predict - answer.stats.n_generated;
  const std::vector<Token> rest = answer.shape->way_out(answer.text, std::min(n_room, n_left));
  for (const Token token : rest) {
    answer.count();
    answer.context.push_back(token);  // nothing is drafted any more
    answer.add(*parts_.model.tokenizer, token);
  }
  return !rest.empty();
}

// Where the shape leaves no choice, nothing is sampled.
bool Generator::adds_what_must_follow(Task& task) {
  AnswerState& answer = task.answer;
  if (!answer.shape) return false;
  std::vector<Token> forced = answer.shape->forced(answer.text);
  const std::size_t n_room = static_cast<std::size_t>(decoder_.n_ctx()) - answer.context.size();
  const auto n_left = static_cast<std::size_t>(
      answer.n_predict < 0 ? decoder_.n_ctx() : answer.n_predict - answer.stats.n_generated);
  if (forced.size() >= std::min(n_room, n_left)) return false;
  for (const Token token : forced) {
    answer.count();
    append(task, token);
    answer.add(*parts_.model.tokenizer, token);
  }
  return !forced.empty();
}

}  // namespace confab::engine
