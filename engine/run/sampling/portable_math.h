// SPDX-License-Identifier: MIT
// Arithmetic that gives the same bits on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace confab::engine {

// Functions of the standard library, which does not give the same bits everywhere: these use only
// additions, multiplications and divisions, which IEEE 754 rounds alike on all machines.
//
// e^x for x up to 709; 0 below -708. Within 1e-14 of it, relatively.
double portable_exp(double x) noexcept;
// The natural logarithm of a normal x > 0, within 1e-15 of it.
double portable_log(double x) noexcept;
double portable_log2(double x) noexcept;
// base^exponent for base >= 0; at most 1e300.
double portable_pow(double base, double exponent) noexcept;

// Floats as whole numbers of the same order: radix sorting, and bisection over all of them.
inline std::uint32_t rank_of(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits ^ ((bits >> 31U) != 0 ? 0xffffffffU : 0x80000000U);
}
inline float float_of(std::uint32_t rank) noexcept {
  return std::bit_cast<float>(rank ^ ((rank >> 31U) != 0 ? 0x80000000U : 0xffffffffU));
}

// Four numbers at a time, on every machine in the same way: a vector register where there is one.
// What is computed with them is the same to the bit as one by one.
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
