// SPDX-License-Identifier: MIT
// Floats as whole numbers of the same order: radix sorting, and bisection over all of them.
#pragma once

#include <bit>
#include <cstdint>

namespace confab::engine {

inline std::uint32_t rank_of(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits ^ ((bits >> 31U) != 0 ? 0xffffffffU : 0x80000000U);
}
inline float float_of(std::uint32_t rank) noexcept {
  return std::bit_cast<float>(rank ^ ((rank >> 31U) != 0 ? 0x80000000U : 0xffffffffU));
}

}  // namespace confab::engine
