// SPDX-License-Identifier: MIT
#include "engine/prompt/reasoning_budget.h"

namespace confab::engine {

bool ReasoningBudget::is_spent(bool at_boundary) const noexcept {
  if (n_tokens_ < 0 || n_closings_ >= kMaxClosings || n_counted_ < n_tokens_) return false;
  return at_boundary || n_counted_ - n_tokens_ >= kMaxGrace;
}

}  // namespace confab::engine
