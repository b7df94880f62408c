// SPDX-License-Identifier: MIT
#include "engine/constrain/token_mask.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace confab::engine {

bool TokenMask::is_empty() const noexcept {
  return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
}

int TokenMask::count() const noexcept {
  int n = 0;
  for (const std::uint64_t word : words_) n += std::popcount(word);
  return n;
}

void TokenMask::apply(std::span<float> logits) const noexcept {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t word = words_[i];
    const auto row = logits.subspan(i * 64, std::min<std::size_t>(64, logits.size() - i * 64));
    if (word == 0) {
      std::ranges::fill(row, kNever);
    } else if (word != ~std::uint64_t{0}) {
      for (std::size_t at = 0; at < row.size(); ++at)
        if (((word >> at) & 1U) == 0) row[at] = kNever;
    }
  }
}

}  // namespace confab::engine
