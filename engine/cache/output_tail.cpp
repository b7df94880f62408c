// SPDX-License-Identifier: MIT
#include "engine/cache/output_tail.h"

#include <algorithm>

namespace confab::engine {

OutputTail::OutputTail(int n_embd)
    : n_embd_(static_cast<std::size_t>(n_embd)), values_(kMaxRows * n_embd_) {}

void OutputTail::set(int pos, std::span<const float> rows) noexcept {
  if (n_embd_ == 0) return;
  const auto n = static_cast<int>(rows.size() / n_embd_);
  n_ = std::min(n, kMaxRows);
  pos_ = pos + n - n_;
  std::ranges::copy(rows.last(static_cast<std::size_t>(n_) * n_embd_), values_.begin());
}

const float* OutputTail::row(int pos) const noexcept {
  if (pos < pos_ || pos >= pos_ + n_) return nullptr;
  return values_.data() + static_cast<std::size_t>(pos - pos_) * n_embd_;
}

void OutputTail::truncate(int n) noexcept {
  n_ = std::clamp(n - pos_, 0, n_);
}

}  // namespace confab::engine
