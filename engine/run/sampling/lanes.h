// SPDX-License-Identifier: MIT
// Four numbers at a time, on every machine in the same way: a vector register where there is one.
// What is computed with them is the same to the bit as one by one.
#pragma once

#include <cstdint>
#include <cstring>

namespace confab::engine {

constexpr std::size_t kLanes = 4;
using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));  // of comparisons: 0 or -1
using Words = std::uint32_t __attribute__((vector_size(16)));

inline Floats load(const float* from) noexcept {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline void store(Floats x, float* to) noexcept {
  std::memcpy(to, &x, sizeof x);
}
inline Floats all_of(float x) noexcept {
  return Floats{x, x, x, x};
}

}  // namespace confab::engine
