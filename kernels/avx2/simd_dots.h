// SPDX-License-Identifier: MIT
// The products of bytes in AVX2, and in AVX-VNNI where a file is compiled for it; for simd.h. What
// a function means is said in avx512/simd.h.
#pragma once

#include <immintrin.h>

namespace confab::kernels {
namespace {

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

  // Codes up to 63 or activations of at most 127: sums of two products fit in 16 bits, and 128
  // by 127 too, twice.
  static __m256i dot(__m256i sum, __m256i codes, __m256i x) noexcept {
    const __m256i pairs = _mm256_maddubs_epi16(codes, x);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  // Runs: sums of products in 16 bits, which add_run() adds up by twos.
  static __m256i products(__m256i codes, __m256i x) noexcept {
    return _mm256_maddubs_epi16(codes, x);
  }
  static __m256i add_products(__m256i run, __m256i codes, __m256i x) noexcept {
    run = _mm256_add_epi16(run, _mm256_maddubs_epi16(codes, x));
    asm("" : "+x"(run));  // g++ 12 would make all products of a block first, and store them
    return run;
  }
  static __m256i add_run(__m256i sum, __m256i run) noexcept {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(run, _mm256_set1_epi16(1)));
  }
  static __m256i raise_signed(__m256i codes) noexcept { return codes; }
  // Signed codes: their sign goes to the activations.
  static __m256i dot_signed(__m256i sum, __m256i codes, __m256i x) noexcept {
    return dot_signed(sum, _mm256_abs_epi8(codes), codes, x);
  }
  // The same of codes whose magnitudes are known.
  static __m256i magnitudes(__m256i codes) noexcept { return _mm256_abs_epi8(codes); }
  static __m256i dot_signed(__m256i sum, __m256i magnitudes, __m256i codes, __m256i x) noexcept {
    sum = dot(sum, magnitudes, _mm256_sign_epi8(x, codes));
    asm("" : "+x"(sum));  // as in add_products()
    return sum;
  }
};

#endif

}  // namespace
}  // namespace confab::kernels
