// SPDX-License-Identifier: MIT
// What the vocabulary in NEON does with a single register, four words of 32 bits or sixteen bytes;
// for simd.h, whose vectors are pairs of them.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/block.h"

namespace confab::kernels {
namespace {

struct SimdOfQuads {
 protected:
  static const std::uint8_t* bytes(const std::byte* p) noexcept {
    return reinterpret_cast<const std::uint8_t*>(p);
  }
  static std::uint8_t* bytes(std::byte* p) noexcept { return reinterpret_cast<std::uint8_t*>(p); }

  // The halves of four bytes, the lower one first.
  static uint8x8_t halves_of_bytes(const std::byte* p) noexcept {
    const uint8x8_t four = vreinterpret_u8_u32(vdup_n_u32(load_as<std::uint32_t>(p)));
    return vzip1_u8(vand_u8(four, vdup_n_u8(15)), vshr_n_u8(four, 4));
  }
  static int8x8_t e2m1_doubled(const std::byte* p) noexcept {
    return vqtbl1_s8(vld1q_s8(kE2M1Doubled), halves_of_bytes(p));
  }
  // Eight E4M3 times 1/256. The sign is there twice, in the highest bit and in the next.
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
  // The first n <= 4 floats, zeros above.
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
  // By two chains of insertions, which do not wait for stores, nor for each other.
  template <typename T>
  static uint16x8_t gather(const std::byte* const rows[8], std::size_t offset) noexcept {
    const auto at = [&](int r) { return std::uint16_t{load_as<T>(rows[r] + offset)}; };
    return vcombine_u16(uint16x4_t{at(0), at(1), at(2), at(3)},
                        uint16x4_t{at(4), at(5), at(6), at(7)});
  }
  static uint16x8_t load_words(const std::byte* p) noexcept {
    return vreinterpretq_u16_u8(vld1q_u8(bytes(p)));
  }
  // n < 8 words of 16 bits, zeros above.
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
  // Lane i is the sum of the i-th.
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
  // Word i of the new v[k] is byte 4 k + i of each of the old.
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

}  // namespace
}  // namespace confab::kernels
