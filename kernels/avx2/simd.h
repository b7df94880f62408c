// SPDX-License-Identifier: MIT
// The vocabulary of generic/ in AVX2, FMA and F16C. Only avx2/*.cpp include it. avx512/simd.h
// describes the functions.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/block.h"
#include "kernels/generic/bf16.h"

namespace confab::kernels {
namespace {

// Products of bytes in AVX2, or in AVX-VNNI for files compiled for it.
#ifdef __AVXVNNI__

struct SimdOfDots {
  static constexpr int kSignedOffset = 128;
  static constexpr bool kHasRuns = false;
  static constexpr bool kAttentionDots = true;

  static __m256i dot(__m256i sum, __m256i codes, __m256i x) noexcept {
    return _mm256_dpbusd_avx_epi32(sum, codes, x);
  }
  static __m256i raise_signed(__m256i codes) noexcept {
    return _mm256_xor_si256(codes, _mm256_set1_epi8(-128));
  }
  static __m256i dot_signed(__m256i sum, __m256i codes, __m256i x) noexcept {
    return dot(sum, codes, x);
  }
};

#else

struct SimdOfDots {
  static constexpr int kSignedOffset = 0;
  static constexpr bool kHasRuns = true;
  static constexpr bool kAttentionDots = false;

  // For codes up to 63, or activations up to 127: the sum of two products fits in 16 bits, and so
  // does twice 128 by 127.
  static __m256i dot(__m256i sum, __m256i codes, __m256i x) noexcept {
    const __m256i pairs = _mm256_maddubs_epi16(codes, x);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  // A run is sums of products in 16 bits; add_run() adds them up in pairs.
  static __m256i products(__m256i codes, __m256i x) noexcept {
    return _mm256_maddubs_epi16(codes, x);
  }
  static __m256i add_products(__m256i run, __m256i codes, __m256i x) noexcept {
    run = _mm256_add_epi16(run, _mm256_maddubs_epi16(codes, x));
    asm("" : "+x"(run));  // g++ 12 would compute all products of a block first, and spill them
    return run;
  }
  static __m256i add_run(__m256i sum, __m256i run) noexcept {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(run, _mm256_set1_epi16(1)));
  }
  static __m256i raise_signed(__m256i codes) noexcept { return codes; }
  // Signed codes: their sign is applied to the activations.
  static __m256i dot_signed(__m256i sum, __m256i codes, __m256i x) noexcept {
    return dot_signed(sum, _mm256_abs_epi8(codes), codes, x);
  }
  // The same for codes whose magnitudes are known.
  static __m256i magnitudes(__m256i codes) noexcept { return _mm256_abs_epi8(codes); }
  static __m256i dot_signed(__m256i sum, __m256i magnitudes, __m256i codes, __m256i x) noexcept {
    sum = dot(sum, magnitudes, _mm256_sign_epi8(x, codes));
    asm("" : "+x"(sum));  // as in add_products()
    return sum;
  }
};

#endif

// Converts codes of weights to f32 with AVX2 and F16C.
struct SimdOfCodes {
  static __m256 load_u4(const std::byte* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_and_si256(shifted_halves(p), _mm256_set1_epi32(15)));
  }
  static __m256 load_e2m1(const std::byte* p) noexcept {
    const __m256 magnitudes = _mm256_setr_ps(0, 1, 2, 3, 4, 6, 8, 12);
    const __m256i codes = shifted_halves(p);  // the lowest three bits select the magnitude
    const __m256i signs = _mm256_slli_epi32(_mm256_and_si256(codes, _mm256_set1_epi32(8)), 28);
    return _mm256_xor_ps(_mm256_permutevar8x32_ps(magnitudes, codes), _mm256_castsi256_ps(signs));
  }
  static __m256 load_u8(const std::byte* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(load_half(p)));
  }
  static __m256 load_e4m3(const std::byte* p) noexcept {
    const __m128i words = _mm_slli_epi16(_mm_cvtepi8_epi16(load_half(p)), 7);
    return _mm256_cvtph_ps(_mm_and_si128(words, _mm_set1_epi16(static_cast<short>(0xbfff))));
  }

 private:
  // Each half of four bytes, in the lowest bits of a word.
  static __m256i shifted_halves(const std::byte* p) noexcept {
    const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    return _mm256_srlv_epi32(_mm256_set1_epi32(load_as<std::int32_t>(p)), shifts);
  }
  static __m128i load_half(const std::byte* p) noexcept {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  }
};

struct Simd : SimdOfDots, SimdOfCodes {
  using F = __m256;   // 8 f32
  using I = __m256i;  // 8 i32
  using B = __m256i;  // 32 bytes, the codes of one block
  using D = __m256d;  // 4 f64
  static constexpr int kLanes = 8;
  static constexpr int kTileVectors = 2;  // of the panel kernel
  static constexpr int kTileTokens = 2;
  static constexpr int kFewTokens = 4;
  static constexpr int kDecodeTokens = 1;
  static constexpr int kFloatTileTokens = 3;  // of the float kernel

  // Sets all bits of the first n lanes.
  static __m256i mask(std::int64_t n) noexcept {
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
  }

  // In assembly, because g++ 12 removes loops that contain only _mm_prefetch().
  static void prefetch(const std::byte* p) noexcept { asm volatile("prefetcht0 %0" : : "m"(*p)); }
  static void prefetch_far(const std::byte* p) noexcept {
    asm volatile("prefetcht1 %0" : : "m"(*p));
  }

  static F zero() noexcept { return _mm256_setzero_ps(); }
  static F set1(float x) noexcept { return _mm256_set1_ps(x); }
  static F load(const float* p) noexcept { return _mm256_loadu_ps(p); }
  static F load_n(const float* p, std::int64_t n) noexcept {
    return _mm256_maskload_ps(p, mask(n));
  }
  static F load_f32(const std::byte* p) noexcept { return _mm256_castsi256_ps(load_bytes(p)); }
  static F load_f32_n(const std::byte* p, std::int64_t n) noexcept {
    return _mm256_castsi256_ps(_mm256_maskload_epi32(reinterpret_cast<const int*>(p), mask(n)));
  }
  static void store(float* p, F x) noexcept { _mm256_storeu_ps(p, x); }
  static void store_n(float* p, std::int64_t n, F x) noexcept {
    _mm256_maskstore_ps(p, mask(n), x);
  }
  static F add(F a, F b) noexcept { return _mm256_add_ps(a, b); }
  static F sub(F a, F b) noexcept { return _mm256_sub_ps(a, b); }
  static F mul(F a, F b) noexcept { return _mm256_mul_ps(a, b); }
  static F div(F a, F b) noexcept { return _mm256_div_ps(a, b); }
  static F fma(F a, F b, F c) noexcept { return _mm256_fmadd_ps(a, b, c); }
  static F fnma(F a, F b, F c) noexcept { return _mm256_fnmadd_ps(a, b, c); }
  static F max(F a, F b) noexcept { return _mm256_max_ps(a, b); }
  static F min(F a, F b) noexcept { return _mm256_min_ps(a, b); }
  static F one_if_above(F a, F b) noexcept {
    return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ), _mm256_set1_ps(1.0F));
  }
  static F abs(F x) noexcept { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), x); }
  static float sum(F x) noexcept {
    const __m128 a = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 b = _mm_add_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
  }
  static float max(F x) noexcept {
    const __m128 a = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 b = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_movehdup_ps(b)));
  }
  static float first(F x) noexcept { return _mm256_cvtss_f32(x); }
  static F round(F x) noexcept {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  // In two steps, because 2^n alone may be out of range; |n| < 250.
  static F mul_pow2(F x, F n) noexcept {
    const __m256i whole = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(whole, 1);
    return mul(mul(x, pow2(half)), pow2(_mm256_sub_epi32(whole, half)));
  }

  static F swap_pairs(F x) noexcept { return _mm256_permute_ps(x, 0xb1); }
  // Lane i of the result is lane i ^ kStride.
  template <int kStride>
  static F exchange(F x) noexcept {
    if constexpr (kStride == 1) return _mm256_permute_ps(x, 0xb1);
    if constexpr (kStride == 2) return _mm256_permute_ps(x, 0x4e);
    if constexpr (kStride == 4) return _mm256_permute2f128_ps(x, x, 0x01);
  }
  static F load_twice(const float* p) noexcept {  // 4 floats
    const __m256i twice = _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0);
    return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), twice);
  }
  static F fmaddsub(F a, F b, F c) noexcept { return _mm256_fmaddsub_ps(a, b, c); }

  static D zero_d() noexcept { return _mm256_setzero_pd(); }
  static double sum(D x) noexcept {
    const __m128d a = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a)));
  }
  static D low(F x) noexcept { return _mm256_cvtps_pd(_mm256_castps256_ps128(x)); }
  static D high(F x) noexcept { return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)); }
  static D add(D a, D b) noexcept { return _mm256_add_pd(a, b); }
  static D fma(D a, D b, D c) noexcept { return _mm256_fmadd_pd(a, b, c); }

  static F load_f16(const std::byte* p) noexcept { return _mm256_cvtph_ps(load_16(p)); }
  static F load_f16_n(const std::byte* p, std::int64_t n) noexcept {
    return _mm256_cvtph_ps(load_words(p, n));
  }
  static F load_bf16(const std::byte* p) noexcept { return widen_bf16(load_16(p)); }
  static F load_bf16_n(const std::byte* p, std::int64_t n) noexcept {
    return widen_bf16(load_words(p, n));
  }
  static F load_i8(const std::byte* p) noexcept {
    return to_f32(_mm256_cvtepi8_epi32(_mm_set1_epi64x(load_as<std::int64_t>(p))));
  }
  static void store_f16(std::byte* p, F x) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  static I to_i32(F x) noexcept { return _mm256_cvtps_epi32(x); }
  static void store_i8(std::byte* p, I x) noexcept {
    const __m256i low_bytes = _mm256_set1_epi32(0x0c080400);
    const __m256i words = _mm256_shuffle_epi8(x, low_bytes);  // the four bytes of each half
    const __m128i both =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), both);
  }
  static void store_bf16(std::byte* p, F x) noexcept {
    const __m256i b = _mm256_castps_si256(x), high = _mm256_srli_epi32(b, 16);
    const __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    __m256i h = _mm256_add_epi32(b, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    h = _mm256_srli_epi32(h, 16);
    const __m256i quiet = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
    h = _mm256_blendv_epi8(h, quiet, _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm_packus_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1)));
  }
  static int sum(I x) noexcept {
    const __m128i a = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    const __m128i b = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(b, _mm_shuffle_epi32(b, 0xb1)));
  }

  static I load_i32(const std::int32_t* p) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void deinterleave(F a, F b, F& first, F& second) noexcept {
    const __m256 even = _mm256_shuffle_ps(a, b, 0x88), odd = _mm256_shuffle_ps(a, b, 0xdd);
    first = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(even), 0xd8));
    second = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(odd), 0xd8));
  }

  static F f16_eights(const std::uint16_t d[1]) noexcept { return set1(f16_to_f32(d[0])); }
  static I widen_bytes(const std::uint64_t bytes[1]) noexcept {
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<std::int64_t>(bytes[0])));
  }
  static void byte_pairs(const std::uint64_t bytes[2], I& even, I& odd) noexcept {
    const __m128i x =
        _mm_set_epi64x(static_cast<std::int64_t>(bytes[1]), static_cast<std::int64_t>(bytes[0]));
    even = _mm256_cvtepi16_epi32(_mm_srai_epi16(_mm_slli_epi16(x, 8), 8));
    odd = _mm256_cvtepi16_epi32(_mm_srai_epi16(x, 8));
  }
  static void scales_k4(const std::byte* const blocks[1], F& scale, F& min) noexcept {
    const __m128i head = load_16(blocks[0]);
    const __m128i shifted =
        _mm_srlv_epi32(_mm_shuffle_epi32(head, 0b11101101), _mm_setr_epi32(0, 0, 0, 4));
    const __m128i six = _mm_setr_epi32(0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f);
    const __m128i top = _mm_srli_epi32(_mm_shuffle_epi32(head, 0b10100101), 2);
    const __m128i two = _mm_setr_epi32(0, 0x30303030, 0, 0x30303030);
    const __m128i bytes = _mm_or_si128(_mm_and_si128(shifted, six), _mm_and_si128(top, two));
    const __m128 d = _mm_cvtph_ps(head);
    scale = mul(to_f32(_mm256_cvtepu8_epi32(bytes)), _mm256_broadcastss_ps(d));
    min = mul(to_f32(_mm256_cvtepu8_epi32(_mm_unpackhi_epi64(bytes, bytes))),
              _mm256_broadcastss_ps(_mm_movehdup_ps(d)));
  }

  static I zero_i() noexcept { return _mm256_setzero_si256(); }
  static I set1_i(std::uint32_t x) noexcept {
    return _mm256_set1_epi32(static_cast<std::int32_t>(x));
  }
  static I add(I a, I b) noexcept { return _mm256_add_epi32(a, b); }
  static I and_(I a, I b) noexcept { return _mm256_and_si256(a, b); }
  static I or_(I a, I b) noexcept { return _mm256_or_si256(a, b); }
  template <unsigned kBits>
  static I shift_right(I x) noexcept {
    return _mm256_srli_epi32(x, kBits);
  }
  static I shift_right(I x, int n) noexcept { return _mm256_srl_epi32(x, _mm_cvtsi32_si128(n)); }
  template <unsigned kBits>
  static I shift_left(I x) noexcept {
    return _mm256_slli_epi32(x, kBits);
  }
  static F zero_where_equal(F x, I a, I b) noexcept {
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)), x);
  }
  static I shift_right_signed_24(I x) noexcept { return _mm256_srai_epi32(x, 24); }
  static I bits(F x) noexcept { return _mm256_castps_si256(x); }
  static F from_bits(I x) noexcept { return _mm256_castsi256_ps(x); }
  static F to_f32(I x) noexcept { return _mm256_cvtepi32_ps(x); }
  static float f16_to_f32(std::uint16_t h) noexcept { return _cvtsh_ss(h); }
  static F f16_to_f32(I x) noexcept {
    const __m256i low = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
    return _mm256_cvtph_ps(
        _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
  }

  static F dot_bf16(F sum, F a, F b) noexcept { return generic::dot_bf16_as_f32<Simd>(sum, a, b); }

  static B load_bytes(const std::byte* p) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store_bytes(std::byte* p, B x) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }
  static B broadcast4(const std::byte* p) noexcept {
    return _mm256_set1_epi32(load_as<std::int32_t>(p));
  }

  static B look_up(const std::int8_t values[16], B codes) noexcept {
    const __m128i table = load_16(reinterpret_cast<const std::byte*>(values));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), codes);
  }

  static void dots_of_half_blocks(const I v[8], I out[2]) noexcept {
    const I a = sum_quads(v), b = sum_quads(v + 4);
    out[0] = _mm256_permute2x128_si256(a, b, 0x20);
    out[1] = _mm256_permute2x128_si256(a, b, 0x31);
  }
  static void dots_of_blocks(const I v[8], I out[1]) noexcept {
    I halves[2];
    dots_of_half_blocks(v, halves);
    out[0] = add(halves[0], halves[1]);
  }
  static F sums(const F v[8]) noexcept {
    const F a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    const F b = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
    return add(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
  }
  static F maxima(const F v[8]) noexcept {
    const F a = max_quads(v), b = max_quads(v + 4);
    return max(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
  }

  [[gnu::always_inline]] static void gather_words(const std::byte* const rows[8],
                                                  std::size_t offset, I out[4]) noexcept {
    I v[4];
    for (int i = 0; i < 4; ++i) {
      v[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(load_16(rows[i] + offset)),
                                     load_16(rows[4 + i] + offset), 1);
    }
    transpose_quads(v, out);
  }
  static void sums_of_4(const F v[4], float out[4]) noexcept {
    const F a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
  }
  static F gather_f16(const std::byte* const rows[8], std::size_t offset) noexcept {
    const auto at = [&](int r) { return load_as<std::int16_t>(rows[r] + offset); };
    return _mm256_cvtph_ps(_mm_setr_epi16(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)));
  }
  static I gather_u8(const std::byte* const rows[8], std::size_t offset) noexcept {
    const auto at = [&](int r) { return std::to_integer<std::int16_t>(rows[r][offset]); };
    return _mm256_cvtepi16_epi32(
        _mm_setr_epi16(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)));
  }
  static void transpose(I v[8]) noexcept {
    I t[8];
    transpose_quads(v, t);
    transpose_quads(v + 4, t + 4);
    for (int w = 0; w < 4; ++w) {
      v[w] = _mm256_permute2x128_si256(t[w], t[4 + w], 0x20);
      v[4 + w] = _mm256_permute2x128_si256(t[w], t[4 + w], 0x31);
    }
  }

  // Lane i of the new v[k] holds byte 8 k + i of each old vector, that of v[0] lowest.
  static void interleave_bytes(I v[4]) noexcept {
    const I a = _mm256_unpacklo_epi8(v[0], v[1]), b = _mm256_unpacklo_epi8(v[2], v[3]);
    const I c = _mm256_unpackhi_epi8(v[0], v[1]), d = _mm256_unpackhi_epi8(v[2], v[3]);
    const I t0 = _mm256_unpacklo_epi16(a, b), t1 = _mm256_unpackhi_epi16(a, b);
    const I t2 = _mm256_unpacklo_epi16(c, d), t3 = _mm256_unpackhi_epi16(c, d);
    v[0] = _mm256_permute2x128_si256(t0, t1, 0x20);
    v[1] = _mm256_permute2x128_si256(t2, t3, 0x20);
    v[2] = _mm256_permute2x128_si256(t0, t1, 0x31);
    v[3] = _mm256_permute2x128_si256(t2, t3, 0x31);
  }

  static __m128i load_16(const std::byte* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }

  // Attention; described in avx512/simd.h.
  static constexpr int kAttentionVectors = 2;
  static I dot_of_many(I sum, B codes, B x) noexcept { return dot(sum, codes, x); }
  static B kept(B x) noexcept {
    asm("" : "+x"(x));
    return x;
  }
  static B load_kept(const std::byte* p) noexcept { return kept(load_bytes(p)); }

 private:
  static F pow2(__m256i n) noexcept {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
  }
  static F widen_bf16(__m128i h) noexcept {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
  }
  // n < 8 words of 16 bits, followed by zeros.
  static __m128i load_words(const std::byte* p, std::int64_t n) noexcept {
    alignas(16) std::byte words[16] = {};
    std::memcpy(words, p, 2 * static_cast<std::size_t>(n));
    return load_16(words);
  }
  // In each half of the result, lane i is the sum of that half of v[i].
  static I sum_quads(const I v[4]) noexcept {
    return _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
  }
  static F max_quads(const F v[4]) noexcept {
    const F a = max(_mm256_unpacklo_ps(v[0], v[1]), _mm256_unpackhi_ps(v[0], v[1]));
    const F b = max(_mm256_unpacklo_ps(v[2], v[3]), _mm256_unpackhi_ps(v[2], v[3]));
    return max(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
  }
  [[gnu::always_inline]] static void transpose_quads(const I v[4], I out[4]) noexcept {
    const I a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpacklo_epi32(v[2], v[3]);
    const I c = _mm256_unpackhi_epi32(v[0], v[1]), d = _mm256_unpackhi_epi32(v[2], v[3]);
    out[0] = _mm256_unpacklo_epi64(a, b);
    out[1] = _mm256_unpackhi_epi64(a, b);
    out[2] = _mm256_unpacklo_epi64(c, d);
    out[3] = _mm256_unpackhi_epi64(c, d);
  }
};

}  // namespace
}  // namespace confab::kernels
