// SPDX-License-Identifier: MIT
// The memory layout of blocks of quantised weights and of packed activations, and conversions of
// 16-bit floats. block_iq.h has the IQ types.
//
// Source: the block layouts of the GGUF format (ggml-common.h of llama.cpp describes the same
// bytes). All are little-endian. A row may start at any address, so copy a block with memcpy or
// load its parts at offsetof(); do not form references to it.
//
// The functions are static, not inline. This header is compiled for several instruction sets, and
// the linker must not use one set's code for another.
#pragma once

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <array>
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

// w[i] = d * (q[i] - 8). q[i] is the low half of qs[i] for i < 16, else the high half of qs[i -
// 16].
struct BlockQ4_0 {
  std::uint16_t d;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

// Like Q4_0, with a minimum instead of the 8: w[i] = d * q[i] + m.
struct BlockQ4_1 {
  std::uint16_t d;  // f16
  std::uint16_t m;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

// w[i] = d * (q[i] - 16). qs is as in Q4_0; the fifth bit of q[i] is bit i % 8 of qh[i / 8].
struct BlockQ5_0 {
  std::uint16_t d;  // f16
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

// Like Q5_0, with a minimum instead of the 16: w[i] = d * q[i] + m.
struct BlockQ5_1 {
  std::uint16_t d;  // f16
  std::uint16_t m;  // f16
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

// w[i] = d * (bit i % 8 of qs[i / 8] ? 1 : -1).
struct BlockQ1_0 {
  std::uint16_t d;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ1_0) == 18);

// w[i] = d * (q - 1), where q is bits 2 (i % 4) and 2 (i % 4) + 1 of qs[i / 4].
struct BlockQ2_0 {
  std::uint16_t d;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ2_0) == 18);

// The values of E2M1, the 4-bit float of the OCP Microscaling Formats specification 1.0, doubled to
// make them whole.
constexpr std::int8_t kE2M1Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// The same plus 12, so that none is negative.
constexpr std::int8_t kE2M1Raised[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};

// w[i] = 2^(e - 127) * E2M1(q[i]); qs is as in Q4_0.
struct BlockMXFP4 {
  std::uint8_t e;  // E8M0
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockMXFP4) == 17);

// 4 sub-blocks of 16: w = d[j] * E2M1(q). In qs[8j + l], the low half is weight 16j + l and the
// high half is weight 16j + 8 + l.
struct BlockNVFP4 {
  std::uint8_t d[4];  // UE4M3
  std::uint8_t qs[32];
};
static_assert(sizeof(BlockNVFP4) == 36);

// w = d * (q - 1), with q from 0 to 2. qs[32h + l] holds weights 128h + 32c + l at bits 2c and 2c +
// 1.
struct BlockTQ2_0 {
  std::uint8_t qs[64];
  std::uint16_t d;  // f16
};
static_assert(sizeof(BlockTQ2_0) == 66);

// w = d * (q - 1), with q from 0 to 2. A byte holds several q as the base-3 digits of a fraction:
// digit c of byte b is floor(3 (3^c b mod 256) / 256). qs[l] holds weights 32c + l for l < 32 and c
// < 5; qs[32 + l] holds 160 + 16c + l for l < 16; qh[l] holds 240 + 4c + l for l < 4 and c < 4.
struct BlockTQ1_0 {
  std::uint8_t qs[48];
  std::uint8_t qh[4];
  std::uint16_t d;  // f16
};
static_assert(sizeof(BlockTQ1_0) == 54);

// 16 sub-blocks of 16: w = d * (scales[j] & 15) * q - dmin * (scales[j] >> 4); qs is as in TQ2_0.
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t qs[64];
  std::uint16_t d;     // f16
  std::uint16_t dmin;  // f16
};
static_assert(sizeof(BlockQ2_K) == 84);

// 16 sub-blocks of 16: w = d * (sc[j] - 32) * (q - 4), with sc from unpack_scales_q3_k(). The two
// low bits of q are in qs as in TQ2_0. The third bit is bit c of hmask[l] for weight 32c + l.
struct BlockQ3_K {
  std::uint8_t hmask[32];
  std::uint8_t qs[64];
  std::uint8_t scales[12];
  std::uint16_t d;  // f16
};
static_assert(sizeof(BlockQ3_K) == 110);

// 8 sub-blocks of 32: w = d * sc[j] * q - dmin * m[j]. `scales` packs the 6-bit sc and m (see
// unpack_scales_k4()). In qs[32c + l], the low half is weight 64c + l and the high half is weight
// 64c + 32 + l.
struct BlockQ4_K {
  std::uint16_t d;     // f16
  std::uint16_t dmin;  // f16
  std::uint8_t scales[12];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

// Like Q4_K with a fifth bit: bit j of qh[l] belongs to weight l of sub-block j.
struct BlockQ5_K {
  std::uint16_t d;     // f16
  std::uint16_t dmin;  // f16
  std::uint8_t scales[12];
  std::uint8_t qh[32];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

// 16 sub-blocks of 16: w = d * scales[j] * (q - 32). In each half h of 128 weights, weight 32c + l
// (c < 4, l < 32) has its low four bits in ql[64h + 32(c % 2) + l], in the low half of the byte for
// c < 2, and its high two bits at bit 2c of qh[32h + l].
struct BlockQ6_K {
  std::uint8_t ql[128];
  std::uint8_t qh[64];
  std::int8_t scales[16];
  std::uint16_t d;  // f16
};
static_assert(sizeof(BlockQ6_K) == 210);

// Metadata of 32 activations. A row of n activations in ActFormat::q8 is n int8 followed by n / 32
// of these. x[i] = d * q[i], with q in [-127, 127]. The sums are of q; they let a product of
// integers leave out a weight's offset: sum (w - 8) q = sum w q - 8 sum q.
struct Q8Meta {
  float d;
  float d_sum;          // d * sum
  std::int32_t sum;     // over all 32
  std::int32_t sum_lo;  // over the first 16
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
#ifdef __F16C__
  return _cvtsh_ss(h);
#elif defined(__aarch64__)
  return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(h))), 0);
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16;
  const std::uint32_t rest = h & 0x7fffU;
  if (rest >= 0x7c00U) {  // infinity or NaN, which becomes quiet
    const std::uint32_t quiet = rest > 0x7c00U ? 0x400000U : 0U;
    return f32_from_bits(sign | 0x7f800000U | quiet | (rest & 0x3ffU) << 13);
  }
  if (rest < 0x400U) {  // zero or subnormal: a multiple of 2^-24
    return f32_from_bits(sign | bits_of(static_cast<float>(rest) * 0x1p-24F));
  }
  return f32_from_bits(sign | ((rest << 13) + (112U << 23)));
#endif
}

// Rounds to nearest, ties to even. Values that are too large become infinity.
[[maybe_unused]] static std::uint16_t f32_to_f16(float f) noexcept {
  const std::uint32_t bits = bits_of(f);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t rest = bits & 0x7fffffffU;
  std::uint32_t h;
  if (rest > 0x7f800000U) {
    h = 0x7e00U | (rest >> 13 & 0x3ffU);
  } else if (rest >= 0x477ff000U) {  // 65520, half-way between the largest f16 and infinity
    h = 0x7c00U;
  } else if (rest >= 0x38800000U) {  // 2^-14, the smallest normal f16
    h = (rest - (112U << 23) + 0xfffU + (rest >> 13 & 1U)) >> 13;
  } else {  // adding 0.5 rounds to a multiple of 2^-24 and leaves it in the last bits
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

// Unpacks the 6-bit scales and minimums of Q4_K and Q5_K.
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

// Unpacks the 6-bit scales of Q3_K. The first 8 bytes hold the low halves, the last 4 bytes hold
// two high bits each.
[[maybe_unused]] static void unpack_scales_q3_k(const std::uint8_t packed[12],
                                                std::uint8_t sc[16]) noexcept {
  for (int j = 0; j < 16; ++j) {
    const int low = packed[j % 8] >> 4 * (j / 8) & 15;
    sc[j] = static_cast<std::uint8_t>(low | (packed[8 + j % 4] >> 2 * (j / 4) & 3) << 4);
  }
}

// 2^(e - 128), half the value of an E8M0 number, for codes that are doubled. NaN is not recognised.
[[maybe_unused]] static float half_of_e8m0(std::uint8_t e) noexcept {
  const std::uint32_t exponent = e;
  return f32_from_bits(exponent < 2 ? 0x200000U << exponent : (exponent - 1) << 23);
}

// Converts E4M3. Its two NaNs are read as 480 and -480.
[[maybe_unused]] static float e4m3_to_f32(std::uint8_t code) noexcept {
  // Except for its bias, the format is an f16 whose last bits are zero.
  const unsigned f16 = (code & 128U) << 8 | (code & 127U) << 7;
  return f16_to_f32(static_cast<std::uint16_t>(f16)) * 256;
}

// The values of E4M3 without their sign. NaN (0x7f) is 0.
constexpr std::array<float, 256> kUE4M3Values = [] {
  std::array<float, 256> values{};
  for (unsigned x = 0; x < 256; ++x) {
    const unsigned exponent = x >> 3 & 15U, fraction = x & 7U;
    float value = static_cast<float>(exponent == 0 ? fraction : fraction + 8) * 0x1p-9F;
    for (unsigned e = 1; e < exponent; ++e) value *= 2;
    values[x] = x == 0x7fU ? 0 : value;
  }
  return values;
}();

}  // namespace confab::kernels
