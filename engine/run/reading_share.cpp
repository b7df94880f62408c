// SPDX-License-Identifier: MIT
#include "engine/run/reading_share.h"

#include <algorithm>
#include <cmath>

namespace confab::engine {

int ReadingShare::allowed(int n) const noexcept {
  if (std::isinf(share_)) return n;
  if (by_token_ == 0) return std::min(n, kFirst);
  const double n_paid = (share_ * passed_ - spent_) / by_token_;
  if (n_paid >= n) return n;
  return n_paid < kFirst ? 0 : static_cast<int>(n_paid);
}

// The last part tells best: the first ones wait for the weights to come from the disk.
void ReadingShare::record(int n, std::chrono::duration<double> time) noexcept {
  if (n <= 0) return;
  spent_ += time.count();
  by_token_ = std::max(time.count(), 1e-9) / n;
}

}  // namespace confab::engine
