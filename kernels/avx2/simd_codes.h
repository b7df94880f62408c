// SPDX-License-Identifier: MIT
// Codes of weights as f32 in AVX2 and F16C; for simd.h. What a function means is said in
// avx512/simd_codes.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/block.h"

namespace confab::kernels {
namespace {

struct SimdOfCodes {
  static __m256 load_u4(const std::byte* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_and_si256(shifted_halves(p), _mm256_set1_epi32(15)));
  }
  static __m256 load_e2m1(const std::byte* p) noexcept {
    const __m256 magnitudes = _mm256_setr_ps(0, 1, 2, 3, 4, 6, 8, 12);
    const __m256i codes = shifted_halves(p);  // their lowest three bits choose
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
  // Each half of four bytes in the lowest bits of a word.
  static __m256i shifted_halves(const std::byte* p) noexcept {
    const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    return _mm256_srlv_epi32(_mm256_set1_epi32(load_as<std::int32_t>(p)), shifts);
  }
  static __m128i load_half(const std::byte* p) noexcept {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  }
};

}  // namespace
}  // namespace confab::kernels
