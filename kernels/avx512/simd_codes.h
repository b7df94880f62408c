// SPDX-License-Identifier: MIT
// Codes of weights as f32 in AVX-512; for simd.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/block.h"

namespace confab::kernels {
namespace {

struct SimdOfCodes {
  // The halves of bytes, the lower one first.
  static __m512 load_u4(const std::byte* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_and_si512(shifted_halves(p), _mm512_set1_epi32(15)));
  }
  // The same as E2M1, doubled (block.h, kE2M1Doubled).
  static __m512 load_e2m1(const std::byte* p) noexcept {
    const __m512 numbers = _mm512_setr_ps(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
    return _mm512_permutexvar_ps(shifted_halves(p), numbers);  // their lowest four bits choose
  }
  static __m512 load_u8(const std::byte* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load_quarter_of(p)));
  }
  // E4M3 (block.h, e4m3_to_f32()) times 1/256.
  static __m512 load_e4m3(const std::byte* p) noexcept {
    // The sign is there twice, in the highest bit and in the next.
    const __m256i words = _mm256_slli_epi16(_mm256_cvtepi8_epi16(load_quarter_of(p)), 7);
    return _mm512_cvtph_ps(_mm256_and_si256(words, _mm256_set1_epi16(static_cast<short>(0xbfff))));
  }

 private:
  // Each half of eight bytes in the lowest bits of a word.
  static __m512i shifted_halves(const std::byte* p) noexcept {
    const __m512i word = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i shifts =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const __m128i both = _mm_set1_epi64x(load_as<std::int64_t>(p));
    return _mm512_srlv_epi32(_mm512_permutexvar_epi32(word, _mm512_castsi128_si512(both)), shifts);
  }
  static __m128i load_quarter_of(const std::byte* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
};

}  // namespace
}  // namespace confab::kernels
