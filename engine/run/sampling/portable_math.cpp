// SPDX-License-Identifier: MIT
#include "engine/run/sampling/portable_math.h"

#include <bit>
#include <cstdint>

namespace confab::engine {
namespace {

constexpr double kLn2High = 0x1.62e42feep-1;  // k * kLn2High is exact for every k that occurs
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog2E = 0x1.71547652b82fep+0;

}  // namespace

// x = k ln 2 + r with |r| <= ln 2 / 2, then Taylor's series up to r^11; the first omitted term is
// below 1e-14.
double portable_exp(double x) noexcept {
  constexpr double kTerms[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                               1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
                               1.0 / 6,        1.0 / 2,       1.0,          1.0};
  if (!(x > -708)) return 0;
  const int k = static_cast<int>(x * kLog2E + (x < 0 ? -0.5 : 0.5));
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 0;
  for (const double term : kTerms) sum = sum * r + term;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52U);
}

// x = m 2^k with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh((m - 1) / (m + 1)), by its series
// up to the 21st power; the first omitted term is below 1e-18.
double portable_log(double x) noexcept {
  constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int k = static_cast<int>(bits >> 52U) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffU) | 0x3ff0000000000000U);
  if (m > kSqrt2) {
    m *= 0.5;
    ++k;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int power = 21; power > 0; power -= 2) sum = sum * square + 1.0 / power;
  return k * kLn2High + (2 * s * sum + k * kLn2Low);
}

double portable_log2(double x) noexcept {
  return portable_log(x) * kLog2E;
}

double portable_pow(double base, double exponent) noexcept {
  constexpr double kMostLog = 690.7, kMost = 1e300;
  if (exponent == 0) return 1;
  if (base == 0) return exponent > 0 ? 0 : kMost;
  const double log = exponent * portable_log(base);
  return log < kMostLog ? portable_exp(log) : kMost;
}

}  // namespace confab::engine
