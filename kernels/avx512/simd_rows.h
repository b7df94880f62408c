// SPDX-License-Identifier: MIT
// The part of the vocabulary in AVX-512 that reads from 16 rows side by side; for simd.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/block.h"

namespace confab::kernels {
namespace {

struct SimdOfRows {
  static __m256i load_half(const std::byte* p) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static __m128i load_quarter(const std::byte* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }

  // v[i] holds the 16 bytes of rows i, 4 + i, 8 + i, 12 + i, so that transposing quarters ends in
  // order.
  [[gnu::always_inline]] static void gather_quarters(const std::byte* const rows[16],
                                                     std::size_t offset, __m512i v[4]) noexcept {
    for (int i = 0; i < 4; ++i) {
      __m512i x = _mm512_castsi128_si512(load_quarter(rows[i] + offset));
      x = _mm512_inserti32x4(x, load_quarter(rows[4 + i] + offset), 1);
      x = _mm512_inserti32x4(x, load_quarter(rows[8 + i] + offset), 2);
      v[i] = _mm512_inserti32x4(x, load_quarter(rows[12 + i] + offset), 3);
    }
  }
  // Lane r is the f16 at rows[r] + offset. (Two chains of insertions: what is stored in small parts
  // cannot be loaded as a whole at once.)
  static __m512 gather_f16(const std::byte* const rows[16], std::size_t offset) noexcept {
    const __m128i low = gather_8(rows, offset), high = gather_8(rows + 8, offset);
    return _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
  }
  // The same of the first or the last f16 of the 16 bytes there.
  template <bool kFirst>
  static __m512 gather_f16_of_16(const std::byte* const rows[16], std::size_t offset) noexcept {
    __m512i v[4];
    gather_quarters(rows, offset, v);
    __m512i quads;  // of rows 4q to 4q + 3, in each quarter
    if constexpr (kFirst) {
      const __m512i a = _mm512_unpacklo_epi16(v[0], v[1]), b = _mm512_unpacklo_epi16(v[2], v[3]);
      quads = _mm512_unpacklo_epi32(a, b);
    } else {
      const __m512i a = _mm512_unpackhi_epi16(v[0], v[1]), b = _mm512_unpackhi_epi16(v[2], v[3]);
      quads = _mm512_unpackhi_epi32(a, b);
    }
    const __m512i order = kFirst ? _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6)
                                 : _mm512_setr_epi64(1, 3, 5, 7, 1, 3, 5, 7);
    return _mm512_cvtph_ps(_mm512_castsi512_si256(_mm512_permutexvar_epi64(order, quads)));
  }
  // Lane r is the byte at rows[r] + offset.
  static __m512i gather_u8(const std::byte* const rows[16], std::size_t offset) noexcept {
    const auto at = [&](int r) { return std::to_integer<char>(rows[r][offset]); };
    return _mm512_cvtepu8_epi32(_mm_setr_epi8(at(0), at(1), at(2), at(3), at(4), at(5), at(6),
                                              at(7), at(8), at(9), at(10), at(11), at(12), at(13),
                                              at(14), at(15)));
  }

 private:
  static __m128i gather_8(const std::byte* const rows[8], std::size_t offset) noexcept {
    const auto at = [&](int r) { return load_as<std::int16_t>(rows[r] + offset); };
    return _mm_setr_epi16(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
  }
};

}  // namespace
}  // namespace confab::kernels
