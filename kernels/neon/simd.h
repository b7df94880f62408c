// SPDX-License-Identifier: MIT
// The vocabulary of generic/ in NEON, with pairs of its 32 128-bit registers. Only neon/*.cpp
// include it, each compiled for its own extensions. A dot of four bytes is one instruction with
// dotprod (Armv8.2) and six without. avx512/simd.h describes the functions.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/block.h"
#include "kernels/generic/bf16.h"

namespace confab::kernels {
namespace {

// The part of the vocabulary that works on a single register of four 32-bit words or sixteen bytes.
struct SimdOfQuads {
 protected:
  static const std::uint8_t* bytes(const std::byte* p) noexcept {
    return reinterpret_cast<const std::uint8_t*>(p);
  }
  static std::uint8_t* bytes(std::byte* p) noexcept { return reinterpret_cast<std::uint8_t*>(p); }

  // The halves of four bytes, low half first.
  static uint8x8_t halves_of_bytes(const std::byte* p) noexcept {
    const uint8x8_t four = vreinterpret_u8_u32(vdup_n_u32(load_as<std::uint32_t>(p)));
    return vzip1_u8(vand_u8(four, vdup_n_u8(15)), vshr_n_u8(four, 4));
  }
  static int8x8_t e2m1_doubled(const std::byte* p) noexcept {
    return vqtbl1_s8(vld1q_s8(kE2M1Doubled), halves_of_bytes(p));
  }
  // Eight E4M3 times 1/256. The sign appears twice, in the highest bit and the next.
  static uint16x8_t e4m3_as_f16(const std::byte* p) noexcept {
    const int16x8_t words = vshll_n_s8(vreinterpret_s8_u8(vld1_u8(bytes(p))), 7);
    return vandq_u16(vreinterpretq_u16_s16(words), vdupq_n_u16(0xbfff));
  }

  static float32x4_t quad(const std::byte* p) noexcept {
    return vreinterpretq_f32_u8(vld1q_u8(bytes(p)));
  }
  static int32x4_t quad_i(const std::byte* p) noexcept {
    return vreinterpretq_s32_u8(vld1q_u8(bytes(p)));
  }
  // The first n <= 4 floats, followed by zeros.
  static float32x4_t quad_n(const std::byte* p, std::int64_t n) noexcept {
    if (n == 4) return quad(p);
    float32x4_t x = vdupq_n_f32(0);
    if (n > 0) x = vsetq_lane_f32(load_as<float>(p), x, 0);
    if (n > 1) x = vsetq_lane_f32(load_as<float>(p + 4), x, 1);
    if (n > 2) x = vsetq_lane_f32(load_as<float>(p + 8), x, 2);
    return x;
  }
  static void store_quad_n(float* p, std::int64_t n, float32x4_t x) noexcept {
    if (n == 4) return vst1q_f32(p, x);
    if (n > 0) vst1q_lane_f32(p, x, 0);
    if (n > 1) vst1q_lane_f32(p + 1, x, 1);
    if (n > 2) vst1q_lane_f32(p + 2, x, 2);
  }
  // Uses two chains of insertions, which wait neither for stores nor for each other.
  template <typename T>
  static uint16x8_t gather(const std::byte* const rows[8], std::size_t offset) noexcept {
    const auto at = [&](int r) { return std::uint16_t{load_as<T>(rows[r] + offset)}; };
    return vcombine_u16(uint16x4_t{at(0), at(1), at(2), at(3)},
                        uint16x4_t{at(4), at(5), at(6), at(7)});
  }
  static uint16x8_t load_words(const std::byte* p) noexcept {
    return vreinterpretq_u16_u8(vld1q_u8(bytes(p)));
  }
  // n < 8 words of 16 bits, followed by zeros.
  static uint16x8_t load_words_n(const std::byte* p, std::int64_t n) noexcept {
    std::byte words[16] = {};
    std::memcpy(words, p, 2 * static_cast<std::size_t>(n));
    return load_words(words);
  }
  static uint32x4_t round_bf16(float32x4_t x) noexcept {
    const uint32x4_t b = vreinterpretq_u32_f32(x), high = vshrq_n_u32(b, 16);
    const uint32x4_t odd = vandq_u32(high, vdupq_n_u32(1));
    const uint32x4_t h = vshrq_n_u32(vaddq_u32(b, vaddq_u32(odd, vdupq_n_u32(0x7fff))), 16);
    return vbslq_u32(vceqq_f32(x, x), h, vorrq_u32(high, vdupq_n_u32(0x40)));
  }
  static float32x4_t mul_pow2_quad(float32x4_t x, int32x4_t n) noexcept {
    const int32x4_t half = vshrq_n_s32(n, 1);
    return vmulq_f32(vmulq_f32(x, pow2(half)), pow2(vsubq_s32(n, half)));
  }
  static float32x4_t pow2(int32x4_t n) noexcept {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(n, vdupq_n_s32(127)), 23));
  }
  template <unsigned kBits>
  static int32x4_t shift_quad_right(int32x4_t x) noexcept {
    return vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(x), kBits));
  }

  static int32x4_t dot_quad(int32x4_t sum, int32x4_t codes, int32x4_t x) noexcept {
    const int8x16_t a = vreinterpretq_s8_s32(codes), b = vreinterpretq_s8_s32(x);
#ifdef __ARM_FEATURE_DOTPROD
    return vdotq_s32(sum, a, b);
#else
    const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b)), high = vmull_high_s8(a, b);
    return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
#endif
  }
  // Lane i is the sum of the i-th argument.
  static int32x4_t sum_quads(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) noexcept {
    return vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d));
  }
  static float32x4_t sum_quads(float32x4_t a, float32x4_t b, float32x4_t c,
                               float32x4_t d) noexcept {
    return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
  }
  // The first, or second, eight bytes of both.
  static int32x4_t first_eights(int32x4_t a, int32x4_t b) noexcept {
    return vreinterpretq_s32_s64(vtrn1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
  }
  static int32x4_t second_eights(int32x4_t a, int32x4_t b) noexcept {
    return vreinterpretq_s32_s64(vtrn2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
  }
  // Word i of the new v[k] holds byte 4 k + i of each old register.
  static void interleave_quad(int32x4_t v[4]) noexcept {
    const auto bytes_of = [](int32x4_t x) { return vreinterpretq_u8_s32(x); };
    const auto words_of = [](uint8x16_t x) { return vreinterpretq_u16_u8(x); };
    const uint16x8_t a = words_of(vzip1q_u8(bytes_of(v[0]), bytes_of(v[1])));
    const uint16x8_t b = words_of(vzip1q_u8(bytes_of(v[2]), bytes_of(v[3])));
    const uint16x8_t c = words_of(vzip2q_u8(bytes_of(v[0]), bytes_of(v[1])));
    const uint16x8_t d = words_of(vzip2q_u8(bytes_of(v[2]), bytes_of(v[3])));
    v[0] = vreinterpretq_s32_u16(vzip1q_u16(a, b));
    v[1] = vreinterpretq_s32_u16(vzip2q_u16(a, b));
    v[2] = vreinterpretq_s32_u16(vzip1q_u16(c, d));
    v[3] = vreinterpretq_s32_u16(vzip2q_u16(c, d));
  }
  static void transpose_quad(int32x4_t v[4]) noexcept {
    const int32x4_t a = vtrn1q_s32(v[0], v[1]), b = vtrn1q_s32(v[2], v[3]);
    const int32x4_t c = vtrn2q_s32(v[0], v[1]), d = vtrn2q_s32(v[2], v[3]);
    v[0] = first_eights(a, b);
    v[1] = first_eights(c, d);
    v[2] = second_eights(a, b);
    v[3] = second_eights(c, d);
  }
};

#ifdef __ARM_FEATURE_DOTPROD
constexpr bool kHasDotprod = true;
#else
constexpr bool kHasDotprod = false;
#endif

struct Simd : SimdOfQuads {
  struct F {  // 8 f32
    float32x4_t lo, hi;
  };
  struct I {  // 8 i32
    int32x4_t lo, hi;
  };
  using B = I;  // 32 bytes, the codes of one block
  struct D {    // 4 f64
    float64x2_t lo, hi;
  };
  static constexpr int kLanes = 8;
  // of the panel kernel; its integers and sums fill 24 registers
  static constexpr int kTileVectors = 2;
  static constexpr int kTileTokens = 3;
  static constexpr int kFewTokens = 4;
  static constexpr int kDecodeTokens = 1;
  static constexpr int kFloatTileTokens = 3;  // of the float kernel, with 4 rows
  static constexpr bool kHasRuns = false;
  static constexpr int kSignedOffset = 0;  // products are of signed bytes

  // In assembly, because g++ 12 removes loops that contain only __builtin_prefetch().
  static void prefetch(const std::byte* p) noexcept {
    asm volatile("prfm pldl1keep, [%0]" : : "r"(p));
  }
  static void prefetch_far(const std::byte* p) noexcept {
    asm volatile("prfm pldl2keep, [%0]" : : "r"(p));
  }

  static F zero() noexcept { return set1(0); }
  static F set1(float x) noexcept { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
  static F load(const float* p) noexcept { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
  static F load_n(const float* p, std::int64_t n) noexcept {
    return load_f32_n(reinterpret_cast<const std::byte*>(p), n);
  }
  static F load_f32(const std::byte* p) noexcept { return {quad(p), quad(p + 16)}; }
  static F load_f32_n(const std::byte* p, std::int64_t n) noexcept {
    if (n < 4) return {quad_n(p, n), vdupq_n_f32(0)};
    return {quad(p), quad_n(p + 16, n - 4)};
  }
  static void store(float* p, F x) noexcept {
    vst1q_f32(p, x.lo);
    vst1q_f32(p + 4, x.hi);
  }
  static void store_n(float* p, std::int64_t n, F x) noexcept {
    if (n < 4) {
      store_quad_n(p, n, x.lo);
    } else {
      vst1q_f32(p, x.lo);
      store_quad_n(p + 4, n - 4, x.hi);
    }
  }
  static F add(F a, F b) noexcept { return {vaddq_f32(a.lo, b.lo), vaddq_f32(a.hi, b.hi)}; }
  static F sub(F a, F b) noexcept { return {vsubq_f32(a.lo, b.lo), vsubq_f32(a.hi, b.hi)}; }
  static F mul(F a, F b) noexcept { return {vmulq_f32(a.lo, b.lo), vmulq_f32(a.hi, b.hi)}; }
  static F div(F a, F b) noexcept { return {vdivq_f32(a.lo, b.lo), vdivq_f32(a.hi, b.hi)}; }
  static F fma(F a, F b, F c) noexcept {
    return {vfmaq_f32(c.lo, a.lo, b.lo), vfmaq_f32(c.hi, a.hi, b.hi)};
  }
  static F fnma(F a, F b, F c) noexcept {
    return {vfmsq_f32(c.lo, a.lo, b.lo), vfmsq_f32(c.hi, a.hi, b.hi)};
  }
  // If either is NaN, FMAX would return NaN and FMAXNM the other operand.
  static F max(F a, F b) noexcept {
    return {vbslq_f32(vcgtq_f32(a.lo, b.lo), a.lo, b.lo),
            vbslq_f32(vcgtq_f32(a.hi, b.hi), a.hi, b.hi)};
  }
  static F min(F a, F b) noexcept {
    return {vbslq_f32(vcltq_f32(a.lo, b.lo), a.lo, b.lo),
            vbslq_f32(vcltq_f32(a.hi, b.hi), a.hi, b.hi)};
  }
  static F one_if_above(F a, F b) noexcept {
    const uint32x4_t one = vreinterpretq_u32_f32(vdupq_n_f32(1));
    return {vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(a.lo, b.lo), one)),
            vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(a.hi, b.hi), one))};
  }
  static F abs(F x) noexcept { return {vabsq_f32(x.lo), vabsq_f32(x.hi)}; }
  static float sum(F x) noexcept { return vaddvq_f32(vaddq_f32(x.lo, x.hi)); }
  static float max(F x) noexcept { return vmaxvq_f32(vmaxq_f32(x.lo, x.hi)); }
  static float first(F x) noexcept { return vgetq_lane_f32(x.lo, 0); }
  static F round(F x) noexcept { return {vrndnq_f32(x.lo), vrndnq_f32(x.hi)}; }
  // In two steps, because 2^n alone may be out of range; |n| < 250.
  static F mul_pow2(F x, F n) noexcept {
    return {mul_pow2_quad(x.lo, vcvtnq_s32_f32(n.lo)), mul_pow2_quad(x.hi, vcvtnq_s32_f32(n.hi))};
  }

  static F swap_pairs(F x) noexcept { return {vrev64q_f32(x.lo), vrev64q_f32(x.hi)}; }
  template <int kStride>
  static F exchange(F x) noexcept {
    if constexpr (kStride == 1) return swap_pairs(x);
    if constexpr (kStride == 2) return {vextq_f32(x.lo, x.lo, 2), vextq_f32(x.hi, x.hi, 2)};
    if constexpr (kStride == 4) return {x.hi, x.lo};
  }
  static F load_twice(const float* p) noexcept {  // 4 floats
    const float32x4_t x = vld1q_f32(p);
    return {vzip1q_f32(x, x), vzip2q_f32(x, x)};
  }
  static F fmaddsub(F a, F b, F c) noexcept {
    const uint32x4_t sign = vreinterpretq_u32_u64(vdupq_n_u64(0x80000000U));
    const auto turned = [&](float32x4_t x) {
      return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(x), sign));
    };
    return fma(a, b, {turned(c.lo), turned(c.hi)});
  }

  static D zero_d() noexcept { return {vdupq_n_f64(0), vdupq_n_f64(0)}; }
  static double sum(D x) noexcept { return vaddvq_f64(vaddq_f64(x.lo, x.hi)); }
  static D low(F x) noexcept { return widen(x.lo); }
  static D high(F x) noexcept { return widen(x.hi); }
  static D add(D a, D b) noexcept { return {vaddq_f64(a.lo, b.lo), vaddq_f64(a.hi, b.hi)}; }
  static D fma(D a, D b, D c) noexcept {
    return {vfmaq_f64(c.lo, a.lo, b.lo), vfmaq_f64(c.hi, a.hi, b.hi)};
  }

  static F load_f16(const std::byte* p) noexcept { return widen_f16(load_words(p)); }
  static F load_f16_n(const std::byte* p, std::int64_t n) noexcept {
    return widen_f16(load_words_n(p, n));
  }
  static F load_bf16(const std::byte* p) noexcept { return widen_bf16(load_words(p)); }
  static F load_bf16_n(const std::byte* p, std::int64_t n) noexcept {
    return widen_bf16(load_words_n(p, n));
  }
  static F load_i8(const std::byte* p) noexcept {
    return to_f32(widen_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(p))));
  }
  static F load_u4(const std::byte* p) noexcept { return to_f32(widen_u8(halves_of_bytes(p))); }
  static F load_e2m1(const std::byte* p) noexcept { return to_f32(widen_s8(e2m1_doubled(p))); }
  static F load_u8(const std::byte* p) noexcept { return to_f32(widen_u8(vld1_u8(bytes(p)))); }
  static F load_e4m3(const std::byte* p) noexcept { return widen_f16(e4m3_as_f16(p)); }
  static void store_f16(std::byte* p, F x) noexcept {
    const float16x8_t halves = vcvt_high_f16_f32(vcvt_f16_f32(x.lo), x.hi);
    vst1q_u8(bytes(p), vreinterpretq_u8_f16(halves));
  }
  static void store_bf16(std::byte* p, F x) noexcept {
    vst1q_u8(bytes(p), vreinterpretq_u8_u16(
                           vcombine_u16(vmovn_u32(round_bf16(x.lo)), vmovn_u32(round_bf16(x.hi)))));
  }
  static I to_i32(F x) noexcept { return {vcvtnq_s32_f32(x.lo), vcvtnq_s32_f32(x.hi)}; }
  static void store_i8(std::byte* p, I x) noexcept {
    const int16x8_t words = vmovn_high_s32(vmovn_s32(x.lo), x.hi);
    vst1_s8(reinterpret_cast<std::int8_t*>(p), vmovn_s16(words));
  }
  static int sum(I x) noexcept { return vaddvq_s32(vaddq_s32(x.lo, x.hi)); }

  static I load_i32(const std::int32_t* p) noexcept { return {vld1q_s32(p), vld1q_s32(p + 4)}; }
  static void deinterleave(F a, F b, F& first, F& second) noexcept {
    first = {vuzp1q_f32(a.lo, a.hi), vuzp1q_f32(b.lo, b.hi)};
    second = {vuzp2q_f32(a.lo, a.hi), vuzp2q_f32(b.lo, b.hi)};
  }
  static F f16_eights(const std::uint16_t d[1]) noexcept { return set1(f16_to_f32(d[0])); }
  static I widen_bytes(const std::uint64_t x[1]) noexcept { return widen_u8(vcreate_u8(x[0])); }
  static void byte_pairs(const std::uint64_t x[2], I& even, I& odd) noexcept {
    const int8x16_t both = vcombine_s8(vcreate_s8(x[0]), vcreate_s8(x[1]));
    const int16x8_t first = vmovl_s8(vget_low_s8(vuzp1q_s8(both, both)));
    const int16x8_t second = vmovl_s8(vget_low_s8(vuzp2q_s8(both, both)));
    even = {vmovl_s16(vget_low_s16(first)), vmovl_high_s16(first)};
    odd = {vmovl_s16(vget_low_s16(second)), vmovl_high_s16(second)};
  }
  static void scales_k4(const std::byte* const blocks[1], F& scale, F& min) noexcept {
    constexpr std::uint64_t kFour = 0x0f0f0f0f, kSix = 0x3f3f3f3f, kTwo = 0x30303030;
    const std::uint64_t a = load_as<std::uint32_t>(blocks[0] + 4);
    const std::uint64_t b = load_as<std::uint32_t>(blocks[0] + 8);
    const std::uint64_t c = load_as<std::uint32_t>(blocks[0] + 12);
    const std::uint64_t sc = (a & kSix) | ((c & kFour) | (a >> 2 & kTwo)) << 32;
    const std::uint64_t m = (b & kSix) | ((c >> 4 & kFour) | (b >> 2 & kTwo)) << 32;
    scale = mul(to_f32(widen_bytes(&sc)), set1(f16_to_f32(load_as<std::uint16_t>(blocks[0]))));
    min = mul(to_f32(widen_bytes(&m)), set1(f16_to_f32(load_as<std::uint16_t>(blocks[0] + 2))));
  }

  static I zero_i() noexcept { return set1_i(0); }
  static I set1_i(std::uint32_t x) noexcept {
    const int32x4_t all = vreinterpretq_s32_u32(vdupq_n_u32(x));
    return {all, all};
  }
  static I add(I a, I b) noexcept { return {vaddq_s32(a.lo, b.lo), vaddq_s32(a.hi, b.hi)}; }
  static I and_(I a, I b) noexcept { return {vandq_s32(a.lo, b.lo), vandq_s32(a.hi, b.hi)}; }
  static I or_(I a, I b) noexcept { return {vorrq_s32(a.lo, b.lo), vorrq_s32(a.hi, b.hi)}; }
  template <unsigned kBits>
  static I shift_right(I x) noexcept {
    return {shift_quad_right<kBits>(x.lo), shift_quad_right<kBits>(x.hi)};
  }
  static I shift_right(I x, int n) noexcept {
    const int32x4_t by = vdupq_n_s32(-n);
    const auto shift = [&](int32x4_t v) {
      return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(v), by));
    };
    return {shift(x.lo), shift(x.hi)};
  }
  template <unsigned kBits>
  static I shift_left(I x) noexcept {
    return {vshlq_n_s32(x.lo, kBits), vshlq_n_s32(x.hi, kBits)};
  }
  // The bits of a that are set in kMask, and the other bits of b.
  template <std::uint32_t kMask>
  static I choose(I a, I b) noexcept {
    const uint32x4_t mask = vdupq_n_u32(kMask);
    return {vbslq_s32(mask, a.lo, b.lo), vbslq_s32(mask, a.hi, b.hi)};
  }
  static F zero_where_equal(F x, I a, I b) noexcept {
    const auto half = [](float32x4_t v, int32x4_t m, int32x4_t n) {
      return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(v), vceqq_s32(m, n)));
    };
    return {half(x.lo, a.lo, b.lo), half(x.hi, a.hi, b.hi)};
  }
  static I shift_right_signed_24(I x) noexcept {
    return {vshrq_n_s32(x.lo, 24), vshrq_n_s32(x.hi, 24)};
  }
  static I bits(F x) noexcept { return {vreinterpretq_s32_f32(x.lo), vreinterpretq_s32_f32(x.hi)}; }
  static F from_bits(I x) noexcept {
    return {vreinterpretq_f32_s32(x.lo), vreinterpretq_f32_s32(x.hi)};
  }
  static F to_f32(I x) noexcept { return {vcvtq_f32_s32(x.lo), vcvtq_f32_s32(x.hi)}; }
  static float f16_to_f32(std::uint16_t h) noexcept { return kernels::f16_to_f32(h); }
  static F f16_to_f32(I x) noexcept {
    const int16x8_t words = vmovn_high_s32(vmovn_s32(x.lo), x.hi);
    return widen_f16(vreinterpretq_u16_s16(words));
  }

  static B load_bytes(const std::byte* p) noexcept { return {quad_i(p), quad_i(p + 16)}; }
  static void store_bytes(std::byte* p, B x) noexcept {
    vst1q_u8(bytes(p), vreinterpretq_u8_s32(x.lo));
    vst1q_u8(bytes(p + 16), vreinterpretq_u8_s32(x.hi));
  }
  static B broadcast4(const std::byte* p) noexcept { return set1_i(load_as<std::uint32_t>(p)); }
  static B look_up(const std::int8_t values[16], B codes) noexcept {
    const uint8x16_t table = vreinterpretq_u8_s8(vld1q_s8(values));
    return {vreinterpretq_s32_u8(vqtbl1q_u8(table, vreinterpretq_u8_s32(codes.lo))),
            vreinterpretq_s32_u8(vqtbl1q_u8(table, vreinterpretq_u8_s32(codes.hi)))};
  }
  // No code is above 127, so unsigned codes are valid signed ones.
  static I dot(I sum, B codes, B x) noexcept {
    return {dot_quad(sum.lo, codes.lo, x.lo), dot_quad(sum.hi, codes.hi, x.hi)};
  }
#ifdef __ARM_FEATURE_DOTPROD
  // Four words of activations. Codes are multiplied by one of them without broadcasting it first.
  using Four = int8x16_t;
  static Four load_four(const std::byte* p) noexcept {
    return vreinterpretq_s8_s32(quad_i(p));
  }
  template <int kWord>
  static I dot_word(I sum, B codes, Four x) noexcept {
    return {vdotq_laneq_s32(sum.lo, vreinterpretq_s8_s32(codes.lo), x, kWord),
            vdotq_laneq_s32(sum.hi, vreinterpretq_s8_s32(codes.hi), x, kWord)};
  }
#endif
  static B raise_signed(B codes) noexcept {
    return codes;
  }
  static I dot_signed(I sum, B codes, B x) noexcept {
    return dot(sum, codes, x);
  }

  static void dots_of_half_blocks(const I rows[8], I out[2]) noexcept {
    out[0] = {sum_quads(rows[0].lo, rows[1].lo, rows[2].lo, rows[3].lo),
              sum_quads(rows[4].lo, rows[5].lo, rows[6].lo, rows[7].lo)};
    out[1] = {sum_quads(rows[0].hi, rows[1].hi, rows[2].hi, rows[3].hi),
              sum_quads(rows[4].hi, rows[5].hi, rows[6].hi, rows[7].hi)};
  }
  static void dots_of_blocks(const I rows[8], I out[1]) noexcept {
    int32x4_t v[8];
    for (int r = 0; r < 8; ++r) v[r] = vaddq_s32(rows[r].lo, rows[r].hi);
    out[0] = {sum_quads(v[0], v[1], v[2], v[3]), sum_quads(v[4], v[5], v[6], v[7])};
  }
  static void sums_of_4(const F v[4], float out[4]) noexcept {
    const auto both = [](F x) { return vaddq_f32(x.lo, x.hi); };
    vst1q_f32(out,
              vpaddq_f32(vpaddq_f32(both(v[0]), both(v[1])), vpaddq_f32(both(v[2]), both(v[3]))));
  }
  // Products of the pairs of bf16 in each lane. The instruction rounds to odd.
  static F dot_bf16(F sum, F a, F b) noexcept {
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    const I w = bits(a), x = bits(b);
    const auto pairs = [](int32x4_t words) { return vreinterpretq_bf16_s32(words); };
    return {vbfdotq_f32(sum.lo, pairs(w.lo), pairs(x.lo)),
            vbfdotq_f32(sum.hi, pairs(w.hi), pairs(x.hi))};
#else
    return generic::dot_bf16_as_f32<Simd>(sum, a, b);
#endif
  }
  static F sums(const F rows[8]) noexcept {
    float32x4_t v[8];
    for (int r = 0; r < 8; ++r) v[r] = vaddq_f32(rows[r].lo, rows[r].hi);
    return {sum_quads(v[0], v[1], v[2], v[3]), sum_quads(v[4], v[5], v[6], v[7])};
  }
  static F maxima(const F rows[8]) noexcept {
    float32x4_t v[8];
    for (int r = 0; r < 8; ++r) v[r] = vmaxq_f32(rows[r].lo, rows[r].hi);
    return {vpmaxq_f32(vpmaxq_f32(v[0], v[1]), vpmaxq_f32(v[2], v[3])),
            vpmaxq_f32(vpmaxq_f32(v[4], v[5]), vpmaxq_f32(v[6], v[7]))};
  }

  [[gnu::always_inline]] static void gather_words(const std::byte* const rows[8],
                                                  std::size_t offset, I out[4]) noexcept {
    int32x4_t lo[4], hi[4];
    for (int i = 0; i < 4; ++i) {
      lo[i] = quad_i(rows[i] + offset);
      hi[i] = quad_i(rows[4 + i] + offset);
    }
    transpose_quad(lo);
    transpose_quad(hi);
    for (int i = 0; i < 4; ++i) out[i] = {lo[i], hi[i]};
  }
  static F gather_f16(const std::byte* const rows[8], std::size_t offset) noexcept {
    return widen_f16(gather<std::uint16_t>(rows, offset));
  }
  static I gather_u8(const std::byte* const rows[8], std::size_t offset) noexcept {
    const uint16x8_t words = gather<std::uint8_t>(rows, offset);
    return {vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))),
            vreinterpretq_s32_u32(vmovl_high_u16(words))};
  }
  static void transpose(I v[8]) noexcept {
    int32x4_t quads[4][4];  // rows 0-3 and 4-7, each first the low words, then the high ones
    for (int i = 0; i < 4; ++i) {
      quads[0][i] = v[i].lo;
      quads[1][i] = v[i].hi;
      quads[2][i] = v[4 + i].lo;
      quads[3][i] = v[4 + i].hi;
    }
    for (auto& quad : quads) transpose_quad(quad);
    for (int i = 0; i < 4; ++i) {
      v[i] = {quads[0][i], quads[2][i]};
      v[4 + i] = {quads[1][i], quads[3][i]};
    }
  }
  static void interleave_bytes(I v[4]) noexcept {
    int32x4_t lo[4], hi[4];
    for (int i = 0; i < 4; ++i) {
      lo[i] = v[i].lo;
      hi[i] = v[i].hi;
    }
    interleave_quad(lo);
    interleave_quad(hi);
    v[0] = {lo[0], lo[1]};
    v[1] = {lo[2], lo[3]};
    v[2] = {hi[0], hi[1]};
    v[3] = {hi[2], hi[3]};
  }

  // Attention; described in avx512/simd.h.
  static constexpr int kAttentionVectors = 2;
  static constexpr bool kAttentionDots = kHasDotprod;
  static I dot_of_many(I sum, B codes, B x) noexcept {
    return dot_signed(sum, codes, x);
  }
  static B kept(B x) noexcept {
    return x;
  }
  static B load_kept(const std::byte* p) noexcept {
    return load_bytes(p);
  }

 private:
  static F widen_f16(uint16x8_t h) noexcept {
    const float16x8_t halves = vreinterpretq_f16_u16(h);
    return {vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)};
  }
  static I widen_s8(int8x8_t x) noexcept {
    const int16x8_t words = vmovl_s8(x);
    return {vmovl_s16(vget_low_s16(words)), vmovl_high_s16(words)};
  }
  static I widen_u8(uint8x8_t x) noexcept {
    const uint16x8_t words = vmovl_u8(x);
    return {vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))),
            vreinterpretq_s32_u32(vmovl_high_u16(words))};
  }
  static F widen_bf16(uint16x8_t h) noexcept {
    return {vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(h), 16)),
            vreinterpretq_f32_u32(vshll_high_n_u16(h, 16))};
  }
  static D widen(float32x4_t x) noexcept {
    return {vcvt_f64_f32(vget_low_f32(x)), vcvt_high_f64_f32(x)};
  }
};

}  // namespace
}  // namespace confab::kernels
