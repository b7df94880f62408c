// SPDX-License-Identifier: MIT
#include "app/chat/answer_draft.h"

#include <utility>

namespace confab::app {
namespace {

using sessions::Message;

std::size_t n_bytes(const Message& answer) {
  return answer.content.size() + answer.reasoning.size();
}

}  // namespace

// What is told again of an answer comes before this, and is part of the prompt.
void AnswerDraft::take(const engine::PrefillProgress& progress) noexcept {
  n_prompt_ = progress.n_prompt - n_retold_;
}

void AnswerDraft::take(const engine::ReasoningDelta& delta, Message& answer) {
  grow(answer, delta.tokens);
  engine::append(delta, answer.reasoning, answer.content);
  answer.answer_begin = answer.reasoning.empty() ? 0 : -1;
  count(delta.n_generated);
}

void AnswerDraft::take(const engine::TextDelta& delta, Message& answer) {
  grow(answer, delta.tokens);
  answer.content += delta.text;
  answer.answer_begin = answer.reasoning.empty() ? 0 : -1;
  count(delta.n_generated);
}

// Where the answer begins among the tokens is told at the end.
void AnswerDraft::grow(Message& answer, const std::vector<engine::Token>& tokens) {
  if (begun_ && !std::exchange(retold_, true)) {
    answer.content.clear();
    answer.reasoning.clear();
    answer.tokens.clear();
  }
  answer.tokens.insert(answer.tokens.end(), tokens.begin(), tokens.end());
}

void AnswerDraft::count(int n_generated) noexcept {
  counts_ = !begun_ || n_prompt_ > 0;
  (counts_ ? n_told_ : n_retold_) = n_generated;
}

std::optional<int> AnswerDraft::n_ctx_used() const noexcept {
  return counts_ ? std::optional(n_prompt_ + n_told_) : std::nullopt;
}

bool AnswerDraft::has_grown(const Message& answer) const noexcept {
  return !begun_ || n_bytes(answer) >= n_bytes(*begun_);
}

void AnswerDraft::end(Message& answer) {
  if (!has_grown(answer)) {
    answer.content = begun_->content;
    answer.reasoning = begun_->reasoning;
    answer.tokens = begun_->tokens;
    answer.answer_begin = begun_->answer_begin;
    answer.tokenizer_hash = begun_->tokenizer_hash;
  }
  begun_.reset();
}

}  // namespace confab::app
