// SPDX-License-Identifier: MIT
#include "engine/fit/memory_plan.h"

#include <algorithm>

namespace confab::engine {

double MemoryPlan::missing_token_bytes() const noexcept {
  if (fits() || expert_bytes == 0) return 0;
  const std::uint64_t left = available_bytes - std::min(available_bytes, resident_bytes());
  const double kept = static_cast<double>(left) / static_cast<double>(expert_bytes);
  return static_cast<double>(expert_token_bytes) * std::max(0.0, 1 - kept);
}

}  // namespace confab::engine
