// SPDX-License-Identifier: MIT
// Converts every quantised type to Unpacked. To add a type, add its block, its unpack() and a row
// at the end.
//
// Every quantised type reduces to whole numbers that fit in a byte, with a scale and a minimum for
// each 16 of them: w[i] = scale[i / 16] * q[i] - min[i / 16]. unpack(block, at, out) writes weights
// [at, at + width of the block) of a chunk. block.h and block_iq.h describe the layouts.
//
// For every type the product of scale and number is exact in f32, so only the subtraction rounds,
// whatever the order of the format's own formula. The functions are static, as in block.h.
#pragma once

#include <array>
#include <bit>

#include "kernels/block.h"
#include "kernels/block_iq.h"
#include "kernels/dtype.h"
#include "kernels/iq_grids.h"

namespace confab::kernels {

constexpr int kUnpackedWeights = 256;

struct Unpacked {
  alignas(64) std::int8_t q[kUnpackedWeights];
  float scale[kUnpackedWeights / 16];
  float min[kUnpackedWeights / 16];
};

// For weights [at, at + kWeights); both are multiples of 16.
template <int kWeights>
static void set_scales(Unpacked& out, int at, float scale, float min = 0) noexcept {
  for (int j = 0; j < kWeights / 16; ++j) {
    out.scale[at / 16 + j] = scale;
    out.min[at / 16 + j] = min;
  }
}

// The functions below process eight bytes at a time. A 64-bit number holds weights 0 to 7 of a
// group, the first in its lowest byte.
constexpr std::uint64_t kEveryByte = 0x0101010101010101U;  // n times this is n in each byte

[[maybe_unused]] static std::uint64_t load_8(const std::uint8_t* p) noexcept {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return bytes;
}

[[maybe_unused]] static void put_8(std::uint64_t bytes, std::int8_t* q) noexcept {
  std::memcpy(q, &bytes, sizeof bytes);
}

// In entry n, byte i is 255 if bit i of n is set.
constexpr std::array<std::uint64_t, 256> kMaskOfBits = [] {
  std::array<std::uint64_t, 256> masks{};
  for (unsigned n = 0; n < 256; ++n) {
    for (unsigned i = 0; i < 8; ++i) masks[n] |= std::uint64_t{(n >> i & 1U) * 255U} << 8 * i;
  }
  return masks;
}();

// Subtracts n from each byte. Bytes are at most 127.
[[maybe_unused]] static std::uint64_t less(std::uint64_t bytes, unsigned n) noexcept {
  constexpr std::uint64_t kHigh = kEveryByte * 128;
  return ((bytes | kHigh) - n * kEveryByte) ^ kHigh;
}

// Negates the magnitudes whose mask byte is 255; the other mask bytes are 0. No magnitude may be 0.
[[maybe_unused]] static std::uint64_t negate(std::uint64_t magnitudes,
                                             std::uint64_t mask) noexcept {
  return (magnitudes ^ mask) + (mask & kEveryByte);
}

// First, the types with one scale per block, and NVFP4.

// kHalf bytes of half codes, low halves first, minus an offset.
template <int kHalf>
static void unpack_halves(const std::uint8_t* qs, unsigned offset, std::int8_t* q) noexcept {
  for (int i = 0; i < kHalf; i += 8) {
    const std::uint64_t codes = load_8(qs + i);
    put_8(less(codes & kEveryByte * 15, offset), q + i);
    put_8(less(codes >> 4 & kEveryByte * 15, offset), q + i + kHalf);
  }
}

// The same, with codes looked up in a table.
template <int kHalf>
static void look_up_halves(const std::uint8_t* qs, const std::int8_t values[16],
                           std::int8_t* q) noexcept {
  for (int i = 0; i < kHalf; ++i) {
    q[i] = values[qs[i] & 15];
    q[i + kHalf] = values[qs[i] >> 4];
  }
}

// Half codes, each with a fifth bit in qh (8 per byte), minus an offset.
static void unpack_fifth_bit(const std::uint8_t* qs, const std::uint8_t* qh, unsigned offset,
                             std::int8_t* q) noexcept {
  for (int i = 0; i < 32; i += 8) {
    const std::uint64_t low = load_8(qs + i % 16) >> 4 * (i / 16) & kEveryByte * 15;
    put_8(less(low | (kMaskOfBits[qh[i / 8]] & kEveryByte * 16), offset), q + i);
  }
}

// 2-bit codes, four per byte and 32 apart, minus an offset. qs is [64], q is [256].
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

// The base-3 digits, minus 1, of bytes times a power of 3.
static std::uint64_t ternary_digits(std::uint64_t bytes, unsigned power) noexcept {
  // leaves room above each byte for the products
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffU;
  const std::uint64_t even = ((bytes & kEven) * power & kEven) * 3 >> 8 & kEven;
  const std::uint64_t odd = ((bytes >> 8 & kEven) * power & kEven) * 3 >> 8 & kEven;
  return less(even | odd << 8, 1);
}

constexpr unsigned kPowersOf3[5] = {1, 3, 9, 27, 81};

// Five digits of each of kWidth bytes: all first digits, then all second digits, and so on.
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

// Next, the K types: 256 weights with a scale for each 16 or 32.

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

// Last, the IQ types of 256 weights. Grids are applied to 8 weights at a time, as one 64-bit
// number.

// Entry n is the mask of the seven signs in n and of an eighth that makes the number of signs even.
constexpr std::array<std::uint64_t, 128> kMaskOfEvenSigns = [] {
  std::array<std::uint64_t, 128> masks{};
  for (unsigned n = 0; n < 128; ++n) {
    const unsigned eighth = static_cast<unsigned>(std::popcount(n)) % 2;
    masks[n] = kMaskOfBits[n | eighth << 7];
  }
  return masks;
}();

[[maybe_unused]] static void unpack(const BlockIQ4_XS& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    const int low = b.scales_l[j / 2] >> 4 * (j % 2) & 15, high = b.scales_h >> 2 * j & 3;
    look_up_halves<16>(b.qs + 16 * j, kIq4Values, out.q + at + 32 * j);
    set_scales<32>(out, at + 32 * j, d * static_cast<float>((low | high << 4) - 32));
  }
}

[[maybe_unused]] static void unpack(const BlockIQ2_XXS& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    std::uint32_t rest;
    std::memcpy(&rest, b.qs + 8 * j + 4, sizeof rest);
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t signs = kMaskOfEvenSigns[rest >> 7 * i & 127U];
      put_8(negate(kIq2XxsGrid[b.qs[8 * j + i]], signs), out.q + at + 32 * j + 8 * i);
    }
    set_scales<32>(out, at + 32 * j, d * (0.5F + static_cast<float>(rest >> 28)) * 0.25F);
  }
}

// The 4-bit scales of IQ2_XS and IQ2_S.
template <typename Block>
static void set_scales_iq2(const Block& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 16; ++j) {
    const auto s = static_cast<float>(b.scales[j / 2] >> 4 * (j % 2) & 15);
    set_scales<16>(out, at + 16 * j, d * (0.5F + s) * 0.25F);
  }
}

[[maybe_unused]] static void unpack(const BlockIQ2_XS& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t grid = kIq2XsGrid[b.qs[i] & 511U];
    put_8(negate(grid, kMaskOfEvenSigns[b.qs[i] >> 9]), out.q + at + 8 * i);
  }
  set_scales_iq2(b, at, out);
}

[[maybe_unused]] static void unpack(const BlockIQ2_S& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 32; ++i) {
    const unsigned high = b.qh[i / 4] >> 2 * (i % 4) & 3;
    const std::uint64_t signs = kMaskOfBits[b.signs[i]];
    put_8(negate(kIq2SGrid[b.qs[i] | high << 8], signs), out.q + at + 8 * i);
  }
  set_scales_iq2(b, at, out);
}

[[maybe_unused]] static void unpack(const BlockIQ3_XXS& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    std::uint32_t rest;
    std::memcpy(&rest, b.signs + 4 * j, sizeof rest);
    for (int i = 0; i < 4; ++i) {
      const std::uint8_t* index = b.qs + 8 * j + 2 * i;
      const std::uint64_t grid = kIq3XxsGrid[index[0]] | std::uint64_t{kIq3XxsGrid[index[1]]} << 32;
      const std::uint64_t signs = kMaskOfEvenSigns[rest >> 7 * i & 127U];
      put_8(negate(grid, signs), out.q + at + 32 * j + 8 * i);
    }
    set_scales<32>(out, at + 32 * j, d * (0.5F + static_cast<float>(rest >> 28)) * 0.5F);
  }
}

[[maybe_unused]] static void unpack(const BlockIQ3_S& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    const unsigned high = b.qh[j];
    for (int i = 0; i < 4; ++i) {
      const std::uint8_t* index = b.qs + 8 * j + 2 * i;
      const std::uint64_t first = kIq3SGrid[index[0] | (high >> 2 * i & 1U) << 8];
      const std::uint64_t second = kIq3SGrid[index[1] | (high >> 2 * i & 2U) << 7];
      const std::uint64_t signs = kMaskOfBits[b.signs[4 * j + i]];
      put_8(negate(first | second << 32, signs), out.q + at + 32 * j + 8 * i);
    }
    const int s = b.scales[j / 2] >> 4 * (j % 2) & 15;
    set_scales<32>(out, at + 32 * j, d * static_cast<float>(2 * s + 1));
  }
}

// Moves each byte of a grid of 0, 8, 16 by 1 or -1. The result is eighths of a weight of IQ1, from
// -9 to 9.
static std::uint64_t shift_iq1(std::uint64_t grid, bool down) noexcept {
  return less(grid, down ? 9 : 7);
}

[[maybe_unused]] static void unpack(const BlockIQ1_S& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d) * 0.125F;
  for (int j = 0; j < 8; ++j) {
    const unsigned qh = b.qh[j];
    for (int i = 0; i < 4; ++i) {
      const unsigned high = qh >> 3 * i & 7U;
      const std::uint64_t grid = kIq1Grid[b.qs[4 * j + i] | high << 8];
      put_8(shift_iq1(grid, (qh & 0x8000U) != 0), out.q + at + 32 * j + 8 * i);
    }
    set_scales<32>(out, at + 32 * j, d * static_cast<float>(2 * (qh >> 12 & 7U) + 1));
  }
}

[[maybe_unused]] static void unpack(const BlockIQ1_M& b, int at, Unpacked& out) noexcept {
  unsigned d_bits = 0;
  for (int k = 0; k < 4; ++k) d_bits |= unsigned{b.scales[k]} >> 12 << 4 * k;
  const float d = f16_to_f32(static_cast<std::uint16_t>(d_bits)) * 0.125F;
  for (int i = 0; i < 32; ++i) {
    const unsigned half = b.qh[i / 2] >> 4 * (i % 2) & 15U;
    const std::uint64_t grid = kIq1Grid[b.qs[i] | (half & 7U) << 8];
    put_8(shift_iq1(grid, (half & 8U) != 0), out.q + at + 8 * i);
  }
  for (int j = 0; j < 16; ++j) {
    const unsigned s = b.scales[j / 4] >> 3 * (j % 4) & 7U;
    set_scales<16>(out, at + 16 * j, d * static_cast<float>(2 * s + 1));
  }
}

// Unpacks n <= 256 weights, in whole blocks. Leaves the rest of `out` unchanged.
using UnpackChunk = void (*)(const std::byte* blocks, std::int64_t n, Unpacked& out) noexcept;

template <typename Block, int kWidth>
static void unpack_chunk(const std::byte* blocks, std::int64_t n, Unpacked& out) noexcept {
  for (int at = 0; at < n; at += kWidth, blocks += sizeof(Block)) {
    unpack(load_as<Block>(blocks), at, out);
  }
}

struct UnpackRow {
  Dtype dtype;
  UnpackChunk unpack;
};

constexpr UnpackRow kUnpackRows[] = {
    {Dtype::Q4_0, unpack_chunk<BlockQ4_0, 32>},
    {Dtype::Q4_1, unpack_chunk<BlockQ4_1, 32>},
    {Dtype::Q5_0, unpack_chunk<BlockQ5_0, 32>},
    {Dtype::Q5_1, unpack_chunk<BlockQ5_1, 32>},
    {Dtype::Q8_0, unpack_chunk<BlockQ8_0, 32>},
    {Dtype::Q2_K, unpack_chunk<BlockQ2_K, 256>},
    {Dtype::Q3_K, unpack_chunk<BlockQ3_K, 256>},
    {Dtype::Q4_K, unpack_chunk<BlockQ4_K, 256>},
    {Dtype::Q5_K, unpack_chunk<BlockQ5_K, 256>},
    {Dtype::Q6_K, unpack_chunk<BlockQ6_K, 256>},
    {Dtype::IQ2_XXS, unpack_chunk<BlockIQ2_XXS, 256>},
    {Dtype::IQ2_XS, unpack_chunk<BlockIQ2_XS, 256>},
    {Dtype::IQ3_XXS, unpack_chunk<BlockIQ3_XXS, 256>},
    {Dtype::IQ1_S, unpack_chunk<BlockIQ1_S, 256>},
    {Dtype::IQ4_NL, unpack_chunk<BlockIQ4_NL, 32>},
    {Dtype::IQ3_S, unpack_chunk<BlockIQ3_S, 256>},
    {Dtype::IQ2_S, unpack_chunk<BlockIQ2_S, 256>},
    {Dtype::IQ4_XS, unpack_chunk<BlockIQ4_XS, 256>},
    {Dtype::IQ1_M, unpack_chunk<BlockIQ1_M, 256>},
    {Dtype::TQ1_0, unpack_chunk<BlockTQ1_0, 256>},
    {Dtype::TQ2_0, unpack_chunk<BlockTQ2_0, 256>},
    {Dtype::MXFP4, unpack_chunk<BlockMXFP4, 32>},
    {Dtype::NVFP4, unpack_chunk<BlockNVFP4, 64>},
    {Dtype::Q1_0, unpack_chunk<BlockQ1_0, 128>},
    {Dtype::Q2_0, unpack_chunk<BlockQ2_0, 64>},
};

[[maybe_unused]] static UnpackChunk unpack_of(Dtype quantised) noexcept {
  for (const UnpackRow& row : kUnpackRows) {
    if (row.dtype == quantised) return row.unpack;
  }
  __builtin_trap();  // this type is not quantised
}

}  // namespace confab::kernels
