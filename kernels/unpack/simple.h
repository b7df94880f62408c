// SPDX-License-Identifier: MIT
// Unpacking of the types with one scale a block, and of NVFP4: unpack(block, at, out) gives weights
// [at, at + width of the block) of a chunk. The layouts are said in block.h and block_iq.h.
#pragma once

#include "kernels/block_iq.h"
#include "kernels/unpack/unpacked.h"

namespace confab::kernels {

// kHalf bytes of half codes, low halves first, each turned into a number.
template <int kHalf, typename Number>
static void unpack_halves(const std::uint8_t* qs, std::int8_t* q, Number number) noexcept {
  for (int i = 0; i < kHalf; ++i) {
    q[i] = static_cast<std::int8_t>(number(qs[i] & 15));
    q[i + kHalf] = static_cast<std::int8_t>(number(qs[i] >> 4));
  }
}

// 5-bit codes of which the highest bits lie apart, less an offset.
static void unpack_fifth_bit(const std::uint8_t* qs, const std::uint8_t* qh, int offset,
                             std::int8_t* q) noexcept {
  for (int i = 0; i < 32; ++i) {
    const int low = qs[i % 16] >> 4 * (i / 16) & 15;
    q[i] = static_cast<std::int8_t>((low | (qh[i / 8] >> i % 8 & 1) << 4) - offset);
  }
}

// 2-bit codes, four to a byte and 32 apart, less an offset. [64] to [256].
static void unpack_quarters(const std::uint8_t* qs, int offset, std::int8_t* q) noexcept {
  for (int i = 0; i < 256; i += 32) {
    for (int l = 0; l < 32; ++l) {
      const int code = qs[i / 128 * 32 + l] >> 2 * (i / 32 % 4) & 3;
      q[i + l] = static_cast<std::int8_t>(code - offset);
    }
  }
}

[[maybe_unused]] static void unpack(const BlockQ8_0& b, int at, Unpacked& out) noexcept {
  std::memcpy(out.q + at, b.qs, sizeof b.qs);
  set_scales(out, at, 32, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ4_0& b, int at, Unpacked& out) noexcept {
  unpack_halves<16>(b.qs, out.q + at, [](int code) { return code - 8; });
  set_scales(out, at, 32, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ4_1& b, int at, Unpacked& out) noexcept {
  unpack_halves<16>(b.qs, out.q + at, [](int code) { return code; });
  set_scales(out, at, 32, f16_to_f32(b.d), -f16_to_f32(b.m));
}

[[maybe_unused]] static void unpack(const BlockQ5_0& b, int at, Unpacked& out) noexcept {
  unpack_fifth_bit(b.qs, b.qh, 16, out.q + at);
  set_scales(out, at, 32, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ5_1& b, int at, Unpacked& out) noexcept {
  unpack_fifth_bit(b.qs, b.qh, 0, out.q + at);
  set_scales(out, at, 32, f16_to_f32(b.d), -f16_to_f32(b.m));
}

[[maybe_unused]] static void unpack(const BlockIQ4_NL& b, int at, Unpacked& out) noexcept {
  unpack_halves<16>(b.qs, out.q + at, [](int code) { return kIq4Values[code]; });
  set_scales(out, at, 32, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockMXFP4& b, int at, Unpacked& out) noexcept {
  unpack_halves<16>(b.qs, out.q + at, [](int code) { return kE2M1Doubled[code]; });
  set_scales(out, at, 32, half_of_e8m0(b.e));
}

[[maybe_unused]] static void unpack(const BlockNVFP4& b, int at, Unpacked& out) noexcept {
  for (int j = 0; j < 4; ++j) {
    const int sub = at + 16 * j;
    unpack_halves<8>(b.qs + 8 * j, out.q + sub, [](int code) { return kE2M1Doubled[code]; });
    set_scales(out, sub, 16, 0.5F * ue4m3_to_f32(b.d[j]));
  }
}

[[maybe_unused]] static void unpack(const BlockQ1_0& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 128; ++i) {
    out.q[at + i] = static_cast<std::int8_t>(2 * (b.qs[i / 8] >> i % 8 & 1) - 1);
  }
  set_scales(out, at, 128, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ2_0& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 64; ++i) {
    out.q[at + i] = static_cast<std::int8_t>((b.qs[i / 4] >> 2 * (i % 4) & 3) - 1);
  }
  set_scales(out, at, 64, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockTQ2_0& b, int at, Unpacked& out) noexcept {
  unpack_quarters(b.qs, 1, out.q + at);
  set_scales(out, at, 256, f16_to_f32(b.d));
}

// Digits of `width` bytes: all first ones, all second ones, ...
static void unpack_ternary(const std::uint8_t* bytes, int width, int n_digits,
                           std::int8_t* q) noexcept {
  constexpr int kPowers[5] = {1, 3, 9, 27, 81};
  for (int c = 0; c < n_digits; ++c) {
    for (int l = 0; l < width; ++l) {
      const int rest = bytes[l] * kPowers[c] & 255;
      q[width * c + l] = static_cast<std::int8_t>((3 * rest >> 8) - 1);
    }
  }
}

[[maybe_unused]] static void unpack(const BlockTQ1_0& b, int at, Unpacked& out) noexcept {
  unpack_ternary(b.qs, 32, 5, out.q + at);
  unpack_ternary(b.qs + 32, 16, 5, out.q + at + 160);
  unpack_ternary(b.qh, 4, 4, out.q + at + 240);
  set_scales(out, at, 256, f16_to_f32(b.d));
}

}  // namespace confab::kernels
