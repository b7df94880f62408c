// SPDX-License-Identifier: MIT
// Arithmetic that gives the same bits on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace confab::engine {

// Replacements for functions of the standard library, which differ between machines. These use only
// additions, multiplications and divisions, which IEEE 754 rounds alike everywhere.
//
// Returns e^x for x up to 709, with a relative error of at most 1e-14; 0 below -708.
double portable_exp(double x) noexcept;
// The natural logarithm of a normal x > 0, with an error of at most 1e-15.
double portable_log(double x) noexcept;
double portable_log2(double x) noexcept;
// base^exponent for base >= 0, at most 1e300.
double portable_pow(double base, double exponent) noexcept;

// Maps floats to integers of the same order, for radix sorting and for bisection over all floats.
inline std::uint32_t rank_of(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits ^ ((bits >> 31U) != 0 ? 0xffffffffU : 0x80000000U);
}
inline float float_of(std::uint32_t rank) noexcept {
  return std::bit_cast<float>(rank ^ ((rank >> 31U) != 0 ? 0x80000000U : 0xffffffffU));
}

// Four numbers at a time, in the same way on every machine; a vector register if there is one.
// Results have the same bits as one by one.
constexpr std::size_t kLanes = 4;
using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));  // results of comparisons: 0 or -1
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
