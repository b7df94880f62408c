// SPDX-License-Identifier: MIT
// Unpacking of the types with one scale a block, and of NVFP4: unpack(block, at, out) gives weights
// [at, at + width of the block) of a chunk. The layouts are said in block.h and block_iq.h.
#pragma once

#include "kernels/block_iq.h"
#include "kernels/unpack/unpacked.h"

namespace confab::kernels {

// kHalf bytes of half codes, low halves first, less an offset.
template <int kHalf>
static void unpack_halves(const std::uint8_t* qs, unsigned offset, std::int8_t* q) noexcept {
  for (int i = 0; i < kHalf; i += 8) {
    const std::uint64_t codes = load_8(qs + i);
    put_8(less(codes & kEveryByte * 15, offset), q + i);
    put_8(less(codes >> 4 & kEveryByte * 15, offset), q + i + kHalf);
  }
}

// The same, each code standing for a value.
template <int kHalf>
static void look_up_halves(const std::uint8_t* qs, const std::int8_t values[16],
                           std::int8_t* q) noexcept {
  for (int i = 0; i < kHalf; ++i) {
    q[i] = values[qs[i] & 15];
    q[i + kHalf] = values[qs[i] >> 4];
  }
}

// Half codes with a fifth bit for each 8 weights in a byte of qh, less an offset.
static void unpack_fifth_bit(const std::uint8_t* qs, const std::uint8_t* qh, unsigned offset,
                             std::int8_t* q) noexcept {
  for (int i = 0; i < 32; i += 8) {
    const std::uint64_t low = load_8(qs + i % 16) >> 4 * (i / 16) & kEveryByte * 15;
    put_8(less(low | (kMaskOfBits[qh[i / 8]] & kEveryByte * 16), offset), q + i);
  }
}

// 2-bit codes, four to a byte and 32 apart, less an offset. [64] to [256].
static void unpack_quarters(const std::uint8_t* qs, unsigned offset, std::int8_t* q) noexcept {
  for (int i = 0; i < 256; i += 8) {
    const std::uint64_t bytes = load_8(qs + i / 128 * 32 + i % 32);
    put_8(less(bytes >> 2 * (i / 32 % 4) & kEveryByte * 3, offset), q + i);
  }
}

[[maybe_unused]] static void unpack(const BlockQ8_0& b, int at, Unpacked& out) noexcept {
  std::memcpy(out.q + at, b.qs, sizeof b.qs);
  set_scales<32>(out, at, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ4_0& b, int at, Unpacked& out) noexcept {
  unpack_halves<16>(b.qs, 8, out.q + at);
  set_scales<32>(out, at, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ4_1& b, int at, Unpacked& out) noexcept {
  unpack_halves<16>(b.qs, 0, out.q + at);
  set_scales<32>(out, at, f16_to_f32(b.d), -f16_to_f32(b.m));
}

[[maybe_unused]] static void unpack(const BlockQ5_0& b, int at, Unpacked& out) noexcept {
  unpack_fifth_bit(b.qs, b.qh, 16, out.q + at);
  set_scales<32>(out, at, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ5_1& b, int at, Unpacked& out) noexcept {
  unpack_fifth_bit(b.qs, b.qh, 0, out.q + at);
  set_scales<32>(out, at, f16_to_f32(b.d), -f16_to_f32(b.m));
}

[[maybe_unused]] static void unpack(const BlockIQ4_NL& b, int at, Unpacked& out) noexcept {
  look_up_halves<16>(b.qs, kIq4Values, out.q + at);
  set_scales<32>(out, at, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockMXFP4& b, int at, Unpacked& out) noexcept {
  look_up_halves<16>(b.qs, kE2M1Doubled, out.q + at);
  set_scales<32>(out, at, half_of_e8m0(b.e));
}

[[maybe_unused]] static void unpack(const BlockNVFP4& b, int at, Unpacked& out) noexcept {
  for (int j = 0; j < 4; ++j) {
    const int sub = at + 16 * j;
    look_up_halves<8>(b.qs + 8 * j, kE2M1Doubled, out.q + sub);
    set_scales<16>(out, sub, 0.5F * kUE4M3Values[b.d[j]]);
  }
}

[[maybe_unused]] static void unpack(const BlockQ1_0& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 16; ++i) {
    put_8(negate(kEveryByte, ~kMaskOfBits[b.qs[i]]), out.q + at + 8 * i);
  }
  set_scales<128>(out, at, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockQ2_0& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 8; ++i) {
    std::uint64_t codes = b.qs[2 * i] | b.qs[2 * i + 1] << 8;
    codes = (codes | codes << 24) & 0x000000ff000000ffU;
    codes = (codes | codes << 12) & 0x000f000f000f000fU;
    codes = (codes | codes << 6) & kEveryByte * 3;
    put_8(less(codes, 1), out.q + at + 8 * i);
  }
  set_scales<64>(out, at, f16_to_f32(b.d));
}

[[maybe_unused]] static void unpack(const BlockTQ2_0& b, int at, Unpacked& out) noexcept {
  unpack_quarters(b.qs, 1, out.q + at);
  set_scales<256>(out, at, f16_to_f32(b.d));
}

// The digits, less 1, of bytes that have been multiplied by a power of 3.
static std::uint64_t ternary_digits(std::uint64_t bytes, unsigned power) noexcept {
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffU;  // with room for products above each
  const std::uint64_t even = ((bytes & kEven) * power & kEven) * 3 >> 8 & kEven;
  const std::uint64_t odd = ((bytes >> 8 & kEven) * power & kEven) * 3 >> 8 & kEven;
  return less(even | odd << 8, 1);
}

constexpr unsigned kPowersOf3[5] = {1, 3, 9, 27, 81};

// Five digits each of kWidth bytes: all first ones, all second ones, ...
template <int kWidth>
static void unpack_ternary(const std::uint8_t* bytes, std::int8_t* q) noexcept {
  for (int c = 0; c < 5; ++c) {
    for (int l = 0; l < kWidth; l += 8) {
      put_8(ternary_digits(load_8(bytes + l), kPowersOf3[c]), q + kWidth * c + l);
    }
  }
}

[[maybe_unused]] static void unpack(const BlockTQ1_0& b, int at, Unpacked& out) noexcept {
  unpack_ternary<32>(b.qs, out.q + at);
  unpack_ternary<16>(b.qs + 32, out.q + at + 160);
  std::uint32_t last;
  std::memcpy(&last, b.qh, sizeof last);
  for (int c = 0; c < 4; ++c) {
    const std::uint64_t digits = ternary_digits(last, kPowersOf3[c]);
    std::memcpy(out.q + at + 240 + 4 * c, &digits, 4);
  }
  set_scales<256>(out, at, f16_to_f32(b.d));
}

}  // namespace confab::kernels
