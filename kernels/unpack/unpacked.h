// SPDX-License-Identifier: MIT
// What every quantised type comes down to: whole numbers that fit in a byte, with a scale and a
// minimum for each 16 of them, w[i] = scale[i / 16] * q[i] - min[i / 16].
//
// In every type the product of scale and number is exact in f32, so that only the subtraction
// rounds, whatever the order of a format's own formula. Static functions, as in block.h.
#pragma once

#include "kernels/block.h"

namespace confab::kernels {

constexpr int kUnpackedWeights = 256;

struct Unpacked {
  alignas(64) std::int8_t q[kUnpackedWeights];
  float scale[kUnpackedWeights / 16];
  float min[kUnpackedWeights / 16];
};

// For weights [at, at + n), both multiples of 16.
[[maybe_unused]] static void set_scales(Unpacked& out, int at, int n, float scale,
                                        float min = 0) noexcept {
  for (int j = at / 16; j < (at + n) / 16; ++j) {
    out.scale[j] = scale;
    out.min[j] = min;
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

// Bit i of `bits` as the number, 0 or 1, in byte i.
[[maybe_unused]] static std::uint64_t spread_bits(std::uint8_t bits) noexcept {
  const std::uint64_t own_bit = bits * kEveryByte & 0x8040201008040201U;
  return (own_bit + kEveryByte * 127) >> 7 & kEveryByte;
}

// Each byte, at most 127, less n.
[[maybe_unused]] static std::uint64_t less(std::uint64_t bytes, unsigned n) noexcept {
  constexpr std::uint64_t kHigh = kEveryByte * 128;
  return ((bytes | kHigh) - n * kEveryByte) ^ kHigh;
}

// Negates each byte i of some magnitudes, which are not 0, whose bit i of the signs is set.
[[maybe_unused]] static std::uint64_t apply_signs(std::uint64_t magnitudes,
                                                  std::uint8_t signs) noexcept {
  const std::uint64_t negative = spread_bits(signs);
  return (magnitudes ^ negative * 255) + negative;
}

}  // namespace confab::kernels
