// SPDX-License-Identifier: MIT
// What a generator does for answers that must have a shape, besides sampling.
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/model.h"
#include "engine/run/generator_task.h"

namespace confab::engine {

// Tokens that an answer may still have.
int Generator::n_left(const AnswerState& answer) const {
  const int n_room = decoder_.n_ctx() - static_cast<int>(answer.context.size());
  return answer.n_predict < 0 ? n_room
                              : std::min(n_room, answer.n_predict - answer.stats.n_generated);
}

// Why an answer of its shape cannot be written; nullopt: it can, whatever the model makes of it.
std::optional<Failed> Generator::shape_refusal(AnswerState& answer) const {
  if (!answer.shape) return std::nullopt;
  const int n_least = answer.shape->n_needed();
  if (answer.n_predict >= 0 && n_least > answer.n_predict)
    return Failed{.message = fmt::format("the shortest answer of this shape that is known has {} "
                                         "tokens, and it may have {}",
                                         n_least, answer.n_predict),
                  .shape_too_long = true};
  const int n_markers =
      answer.text.in_reasoning() ? static_cast<int>(parts_.prompts.reasoning_end().size()) : 0;
  const int n_prompt = answer.stats.n_prompt;
  if (n_prompt + n_markers + n_least <= decoder_.n_ctx()) return std::nullopt;
  return Failed{.message = fmt::format("the shortest answer of this shape that is known has {} "
                                       "tokens, and beside the prompt of {} the context of {} has "
                                       "room for {}",
                                       n_least, n_prompt, decoder_.n_ctx(),
                                       std::max(decoder_.n_ctx() - n_prompt - n_markers, 0)),
                .prompt_too_long = true};
}

// What is thought ends while there is room for the answer.
bool Generator::must_close_reasoning(AnswerState& answer) const {
  if (answer.is_over_budget()) return true;
  const auto n_markers = static_cast<int>(parts_.prompts.reasoning_end().size());
  if (!answer.shape || !answer.text.in_reasoning() || n_markers == 0) return false;
  const int n_spare = n_left(answer) - n_markers - answer.shape->n_needed();
  return n_spare <= (answer.text.at_boundary() ? ReasoningBudget::kMaxGrace : 0);
}

// An answer is ended in its shape where no token goes on in it, or where the one that was sampled
// leaves too little room for its end. Why it ends, if it does.
std::optional<FinishReason> Generator::closes_shape(Task& task) {
  AnswerState& answer = task.answer;
  if (!answer.shape) return std::nullopt;
  const std::optional<Token> next = task.sampled;
  if (next && answer.shape->leaves_room(*next, answer.text, n_left(answer) - 1))
    return std::nullopt;
  for (const Token token : answer.shape->close()) {
    answer.count();
    answer.context.push_back(token);  // nothing is drafted any more
    answer.add(*parts_.model.tokenizer, token);
  }
  return next ? FinishReason::length : FinishReason::end_of_turn;
}

// Where the shape leaves no choice, nothing is sampled.
bool Generator::adds_what_must_follow(Task& task) {
  AnswerState& answer = task.answer;
  if (!answer.shape) return false;
  const std::vector<Token> forced = answer.shape->forced(answer.text);
  const int n_then = n_left(answer) - static_cast<int>(forced.size());
  if (forced.empty() || n_then <= 0 || !answer.shape->leaves_room(forced, n_then)) return false;
  for (const Token token : forced) {
    answer.count();
    append(task, token);
    answer.add(*parts_.model.tokenizer, token);
  }
  return true;
}

}  // namespace confab::engine
