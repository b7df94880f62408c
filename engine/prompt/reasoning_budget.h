// SPDX-License-Identifier: MIT
// How long one answer may be reasoned about.
#pragma once

namespace confab::engine {

// Counts the tokens of the reasoning, also of a part of the answer that is gone on with, and says
// when it is to be closed: after the last token that the budget has, or up to kMaxGrace later, so
// that no character and no marker is cut. A model that then opens its reasoning again is closed
// again, but only kMaxClosings times: rather a thought too long than an answer of markers alone.
class ReasoningBudget {
 public:
  static constexpr int kMaxGrace = 16;
  static constexpr int kMaxClosings = 4;

  // n_tokens: -1: no limit; 0: no reasoning.
  explicit ReasoningBudget(int n_tokens) noexcept : n_tokens_(n_tokens) {}

  void count() noexcept { ++n_counted_; }
  void close() noexcept { ++n_closings_; }
  // Asked while the reasoning is open. at_boundary: see AnswerText.
  bool is_spent(bool at_boundary) const noexcept;

 private:
  int n_tokens_;
  int n_counted_ = 0;
  int n_closings_ = 0;
};

}  // namespace confab::engine
