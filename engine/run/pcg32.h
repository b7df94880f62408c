// SPDX-License-Identifier: MIT
// A small random number generator with the same stream on every machine. The distributions of the
// standard library do not promise that. Source: PCG-XSH-RR 64/32, O'Neill 2014,
// https://www.pcg-random.org
#pragma once

#include <cstdint>

namespace confab::engine {

class Pcg32 {
 public:
  // Different values of `sequence` give unrelated streams for the same seed.
  explicit Pcg32(std::uint64_t seed, std::uint64_t sequence = 0) noexcept
      : increment_((sequence << 1U) | 1U) {
    next();
    state_ += seed;
    next();
  }

  std::uint32_t next() noexcept {
    const std::uint64_t old = state_;
    state_ = old * 6364136223846793005U + increment_;
    const auto xor_shifted = static_cast<std::uint32_t>(((old >> 18U) ^ old) >> 27U);
    const auto turn = static_cast<std::uint32_t>(old >> 59U);
    return (xor_shifted >> turn) | (xor_shifted << ((32U - turn) & 31U));
  }

  // Uniform in [0, 1), with all 53 bits of a double.
  double next_double() noexcept {
    const std::uint64_t high = next() >> 5U;
    const std::uint64_t low = next() >> 6U;
    return static_cast<double>((high << 26U) | low) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 0;
  std::uint64_t increment_;
};

}  // namespace confab::engine
