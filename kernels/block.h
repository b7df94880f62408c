// SPDX-License-Identifier: MIT
// How blocks of quantised weights and packed activations lie in memory, and the 16-bit floats.
//
// Source: the block layouts of the GGUF format (ggml-common.h of llama.cpp describes the same
// bytes). All are little-endian. Rows may start at any address: copy a block out with memcpy, or
// load its parts at offsetof(), but do not form references to it.
//
// The functions are static, not inline: this header is compiled under several instruction sets,
// and the linker must not share one set's code with another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace confab::kernels {

// w[i] = d * qs[i].
struct BlockQ8_0 {
  std::uint16_t d;  // f16
  std::int8_t qs[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

// w[i] = d * (q[i] - 8); q[i] is the low half of qs[i] for i < 16, else the high half of qs[i -
// 16].
struct BlockQ4_0 {
  std::uint16_t d;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

// 8 sub-blocks of 32: w = d * sc[j] * q - dmin * m[j]. scales packs the 6-bit sc and m (see
// unpack_scales_k4). qs[32c + l]: low half is weight 64c + l, high half 64c + 32 + l.
struct BlockQ4_K {
  std::uint16_t d;     // f16
  std::uint16_t dmin;  // f16
  std::uint8_t scales[12];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

// As Q4_K with a fifth bit: bit j of qh[l] belongs to weight l of sub-block j.
struct BlockQ5_K {
  std::uint16_t d;     // f16
  std::uint16_t dmin;  // f16
  std::uint8_t scales[12];
  std::uint8_t qh[32];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

// 16 sub-blocks of 16: w = d * scales[j] * (q - 32). In each half h of 128 weights, weight 32c + l
// (c < 4, l < 32) has its low four bits in ql[64h + 32(c % 2) + l], low half for c < 2, and its
// high two bits at bit 2c of qh[32h + l].
struct BlockQ6_K {
  std::uint8_t ql[128];
  std::uint8_t qh[64];
  std::int8_t scales[16];
  std::uint16_t d;  // f16
};
static_assert(sizeof(BlockQ6_K) == 210);

// A row of n activations in ActFormat::q8: n int8, then n / 32 of these. x[i] = d * q[i], q in
// [-127, 127]; the sums are of q, whole numbers, so that a weight's offset can be taken out of a
// product of integers: sum (w - 8) q = sum w q - 8 sum q.
struct Q8Meta {
  float d;
  float sum;     // of all 32
  float sum_lo;  // of the first 16
  float sum_hi;  // of the last 16
};
static_assert(sizeof(Q8Meta) == 16);
constexpr std::int64_t kQ8Block = 32;

template <typename T>
static T load_as(const std::byte* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

[[maybe_unused]] static float f32_from_bits(std::uint32_t bits) noexcept {
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

[[maybe_unused]] static std::uint32_t bits_of(float f) noexcept {
  std::uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

[[maybe_unused]] static float f16_to_f32(std::uint16_t h) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16;
  const std::uint32_t rest = h & 0x7fffU;
  if (rest >= 0x7c00U) {  // infinity, NaN (made quiet)
    const std::uint32_t quiet = rest > 0x7c00U ? 0x400000U : 0U;
    return f32_from_bits(sign | 0x7f800000U | quiet | (rest & 0x3ffU) << 13);
  }
  if (rest < 0x400U) {  // zero, subnormal: a multiple of 2^-24
    return f32_from_bits(sign | bits_of(static_cast<float>(rest) * 0x1p-24F));
  }
  return f32_from_bits(sign | ((rest << 13) + (112U << 23)));
}

// Rounds to nearest, ties to even; too large becomes infinity.
[[maybe_unused]] static std::uint16_t f32_to_f16(float f) noexcept {
  const std::uint32_t bits = bits_of(f);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t rest = bits & 0x7fffffffU;
  std::uint32_t h;
  if (rest > 0x7f800000U) {
    h = 0x7e00U | (rest >> 13 & 0x3ffU);
  } else if (rest >= 0x477ff000U) {  // 65520: half-way from the largest to the next
    h = 0x7c00U;
  } else if (rest >= 0x38800000U) {  // 2^-14: normal
    h = (rest - (112U << 23) + 0xfffU + (rest >> 13 & 1U)) >> 13;
  } else {  // adding 0.5 leaves the multiple of 2^-24 in the last bits, rounded by the addition
    h = bits_of(f32_from_bits(rest) + 0.5F) - bits_of(0.5F);
  }
  return static_cast<std::uint16_t>(sign | h);
}

[[maybe_unused]] static float bf16_to_f32(std::uint16_t h) noexcept {
  return f32_from_bits(static_cast<std::uint32_t>(h) << 16);
}

// Rounds to nearest, ties to even.
[[maybe_unused]] static std::uint16_t f32_to_bf16(float f) noexcept {
  const std::uint32_t bits = bits_of(f);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

// The 6-bit scales and minimums of Q4_K and Q5_K.
[[maybe_unused]] static void unpack_scales_k4(const std::uint8_t packed[12], std::uint8_t sc[8],
                                              std::uint8_t m[8]) noexcept {
  for (int j = 0; j < 4; ++j) {
    const unsigned a = packed[j], b = packed[j + 4], c = packed[j + 8];
    sc[j] = static_cast<std::uint8_t>(a & 63U);
    m[j] = static_cast<std::uint8_t>(b & 63U);
    sc[j + 4] = static_cast<std::uint8_t>((c & 15U) | (a >> 6) << 4);
    m[j + 4] = static_cast<std::uint8_t>(c >> 4 | (b >> 6) << 4);
  }
}

}  // namespace confab::kernels
