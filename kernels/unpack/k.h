// SPDX-License-Identifier: MIT
// Unpacking of the K types, 256 weights with scales of their own for each 16 or 32; as in simple.h.
#pragma once

#include "kernels/unpack/simple.h"

namespace confab::kernels {

[[maybe_unused]] static void unpack(const BlockQ2_K& b, int at, Unpacked& out) noexcept {
  unpack_quarters(b.qs, 0, out.q + at);
  const float d = f16_to_f32(b.d), dmin = f16_to_f32(b.dmin);
  for (int j = 0; j < 16; ++j) {
    set_scales<16>(out, at + 16 * j, d * static_cast<float>(b.scales[j] & 15),
                   dmin * static_cast<float>(b.scales[j] >> 4));
  }
}

[[maybe_unused]] static void unpack(const BlockQ3_K& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 256; i += 8) {
    const std::uint64_t low = load_8(b.qs + i / 128 * 32 + i % 32) >> 2 * (i / 32 % 4);
    const std::uint64_t high = load_8(b.hmask + i % 32) >> i / 32 & kEveryByte;
    put_8(less((low & kEveryByte * 3) | high << 2, 4), out.q + at + i);
  }
  std::uint8_t sc[16];
  unpack_scales_q3_k(b.scales, sc);
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 16; ++j) {
    set_scales<16>(out, at + 16 * j, d * static_cast<float>(sc[j] - 32));
  }
}

// The scales and minimums of Q4_K and Q5_K.
template <typename Block>
static void set_scales_k4(const Block& b, int at, Unpacked& out) noexcept {
  std::uint8_t sc[8], m[8];
  unpack_scales_k4(b.scales, sc, m);
  const float d = f16_to_f32(b.d), dmin = f16_to_f32(b.dmin);
  for (int j = 0; j < 8; ++j) {
    set_scales<32>(out, at + 32 * j, d * static_cast<float>(sc[j]),
                   dmin * static_cast<float>(m[j]));
  }
}

[[maybe_unused]] static void unpack(const BlockQ4_K& b, int at, Unpacked& out) noexcept {
  for (int c = 0; c < 4; ++c) {
    unpack_halves<32>(b.qs + 32 * c, 0, out.q + at + 64 * c);
  }
  set_scales_k4(b, at, out);
}

[[maybe_unused]] static void unpack(const BlockQ5_K& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 256; i += 8) {
    const std::uint64_t low = load_8(b.qs + i / 64 * 32 + i % 32) >> 4 * (i / 32 % 2);
    const std::uint64_t high = load_8(b.qh + i % 32) >> i / 32 & kEveryByte;
    put_8((low & kEveryByte * 15) | high << 4, out.q + at + i);
  }
  set_scales_k4(b, at, out);
}

[[maybe_unused]] static void unpack(const BlockQ6_K& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 256; i += 8) {
    const int half = i / 128, c = i / 32 % 4;
    const std::uint64_t low = load_8(b.ql + 64 * half + i % 64) >> 4 * (c / 2);
    const std::uint64_t high = load_8(b.qh + 32 * half + i % 32) >> 2 * c & kEveryByte * 3;
    put_8(less((low & kEveryByte * 15) | high << 4, 32), out.q + at + i);
  }
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 16; ++j) {
    set_scales<16>(out, at + 16 * j, d * static_cast<float>(b.scales[j]));
  }
}

}  // namespace confab::kernels
