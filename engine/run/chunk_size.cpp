// SPDX-License-Identifier: MIT
#include "engine/run/chunk_size.h"

#include <algorithm>

namespace confab::engine {

ChunkSize::ChunkSize(int n_batch, int n_parts) noexcept
    : n_batch_(n_batch), n_parts_(n_parts), n_tokens_(std::min(n_batch, kFirst)) {}

void ChunkSize::record(int n, std::chrono::duration<double> time) noexcept {
  using Seconds = std::chrono::duration<double>;
  // At most twice as many as just measured, because a shorter run says little about a longer one.
  const double aim = n * std::min(2.0, n_parts_ * Seconds(kAim) / std::max(time, Seconds(1e-9)));
  // The short last run of a prompt is no evidence against longer runs.
  const bool short_run = n < n_tokens_ && time < n_parts_ * kAim;
  const int lowest = std::min(n_batch_, short_run ? n_tokens_ : kMin);
  n_tokens_ = std::clamp(static_cast<int>(aim), lowest, n_batch_);
}

}  // namespace confab::engine
