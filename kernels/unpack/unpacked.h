// SPDX-License-Identifier: MIT
// What every quantised type comes down to: whole numbers that fit in a byte, with a scale and a
// minimum for each 16 of them, w[i] = scale[i / 16] * q[i] - min[i / 16].
//
// In every type the product of scale and number is exact in f32, so that only the subtraction
// rounds, whatever the order of a format's own formula. Static functions, as in block.h.
#pragma once

#include <array>

#include "kernels/block.h"

namespace confab::kernels {

constexpr int kUnpackedWeights = 256;

struct Unpacked {
  alignas(64) std::int8_t q[kUnpackedWeights];
  float scale[kUnpackedWeights / 16];
  float min[kUnpackedWeights / 16];
};

// For weights [at, at + kWeights), both multiples of 16.
template <int kWeights>
static void set_scales(Unpacked& out, int at, float scale, float min = 0) noexcept {
  for (int j = 0; j < kWeights / 16; ++j) {
    out.scale[at / 16 + j] = scale;
    out.min[at / 16 + j] = min;
  }
}

// Eight bytes at a time: a 64-bit number holds weights 0 to 7 of a group, the first in its lowest
// byte.
constexpr std::uint64_t kEveryByte = 0x0101010101010101U;  // times n: n in each byte

[[maybe_unused]] static std::uint64_t load_8(const std::uint8_t* p) noexcept {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return bytes;
}

[[maybe_unused]] static void put_8(std::uint64_t bytes, std::int8_t* q) noexcept {
  std::memcpy(q, &bytes, sizeof bytes);
}

// Entry n has 255 in each byte i whose bit i of n is set.
constexpr std::array<std::uint64_t, 256> kMaskOfBits = [] {
  std::array<std::uint64_t, 256> masks{};
  for (unsigned n = 0; n < 256; ++n) {
    for (unsigned i = 0; i < 8; ++i) masks[n] |= std::uint64_t{(n >> i & 1U) * 255U} << 8 * i;
  }
  return masks;
}();

// Each byte, at most 127, less n.
[[maybe_unused]] static std::uint64_t less(std::uint64_t bytes, unsigned n) noexcept {
  constexpr std::uint64_t kHigh = kEveryByte * 128;
  return ((bytes | kHigh) - n * kEveryByte) ^ kHigh;
}

// Negates the bytes of some magnitudes, none 0, that a mask of 0 and 255 chooses.
[[maybe_unused]] static std::uint64_t negate(std::uint64_t magnitudes,
                                             std::uint64_t mask) noexcept {
  return (magnitudes ^ mask) + (mask & kEveryByte);
}

}  // namespace confab::kernels
