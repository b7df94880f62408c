// SPDX-License-Identifier: MIT
// The part of the vocabulary in AVX-512 that reads the scales of a row's blocks; for simd.h.
#pragma once

#include <immintrin.h>

#include "kernels/block.h"

namespace confab::kernels {
namespace {

struct SimdOfBlocks {
  // Lane b is the f16, the word or the byte at p + Stride::at(b), b < n. Of f16 and of words the
  // strides are even; of bytes whole words are read.
  template <class Stride>
  static __m512 read_f16(const std::byte* p, int n) noexcept {
    return _mm512_cvtph_ps(read_u16<Stride>(p, n));
  }
  template <class Stride>
  static __m256i read_u16(const std::byte* p, int n) noexcept {
    static constexpr StridedWords<Stride> kAt{};
    const __m512i index =
        _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(kAt.index)));
    const int n_words = Stride::at(n - 1) / 2 + 1;
    __m512i words = _mm512_setzero_si512();
    for (int pair = 0; pair < kAt.kPairs; ++pair) {
      const __m512i low = load_words(p + 128 * pair, n_words - 64 * pair);
      const __m512i high = load_words(p + 128 * pair + 64, n_words - 64 * pair - 32);
      words =
          _mm512_or_si512(words, _mm512_maskz_permutex2var_epi16(kAt.mask[pair], low, index, high));
    }
    return _mm512_castsi512_si256(words);
  }
  template <class Stride>
  static __m512i read_u8(const std::byte* p, int n) noexcept {
    static constexpr StridedWords<Stride> kAt{};
    const __m512i words = _mm512_cvtepu16_epi32(read_u16<Stride>(p, n));
    return _mm512_and_si512(_mm512_srlv_epi32(words, _mm512_load_si512(kAt.shift)),
                            _mm512_set1_epi32(255));
  }
  // The f16 d[0] in the first eight lanes, d[1] in the others.
  static __m512 f16_eights(const std::uint16_t d[2]) noexcept {
    const auto all = [](std::uint16_t h) { return _mm_set1_epi16(static_cast<std::int16_t>(h)); };
    return _mm512_cvtph_ps(
        _mm256_inserti128_si256(_mm256_castsi128_si256(all(d[0])), all(d[1]), 1));
  }
  // Each byte in a lane, the lowest of the first first.
  static __m512i widen_bytes(const std::uint64_t bytes[2]) noexcept {
    return _mm512_cvtepu8_epi32(
        _mm_set_epi64x(static_cast<std::int64_t>(bytes[1]), static_cast<std::int64_t>(bytes[0])));
  }
  // Signed bytes, the even ones and the odd ones.
  static void byte_pairs(const std::uint64_t bytes[4], __m512i& even, __m512i& odd) noexcept {
    const __m256i x =
        _mm256_set_epi64x(static_cast<std::int64_t>(bytes[3]), static_cast<std::int64_t>(bytes[2]),
                          static_cast<std::int64_t>(bytes[1]), static_cast<std::int64_t>(bytes[0]));
    even = _mm512_cvtepi16_epi32(_mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8));
    odd = _mm512_cvtepi16_epi32(_mm256_srai_epi16(x, 8));
  }
  // The scales and minimums of two blocks of Q4_K or Q5_K (block.h, unpack_scales_k4()), times
  // their d and dmin. All are in the 16 bytes that the block begins with.
  static void scales_k4(const std::byte* const blocks[2], __m512& scale, __m512& min) noexcept {
    const __m256i heads =
        _mm256_inserti128_si256(_mm256_castsi128_si256(head(blocks[0])), head(blocks[1]), 1);
    // Words: low six bits of a, halves of c, low six bits of b, other halves of c.
    const __m256i picked = _mm256_shuffle_epi32(heads, 0b11101101);
    const __m256i shifted = _mm256_srlv_epi32(picked, _mm256_setr_epi32(0, 0, 0, 4, 0, 0, 0, 4));
    const __m256i six = _mm256_setr_epi32(0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f,
                                          0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f);
    const __m256i top = _mm256_srli_epi32(_mm256_shuffle_epi32(heads, 0b10100101), 2);
    const __m256i two =
        _mm256_setr_epi32(0, 0x30303030, 0, 0x30303030, 0, 0x30303030, 0, 0x30303030);
    const __m256i bytes =
        _mm256_or_si256(_mm256_and_si256(shifted, six), _mm256_and_si256(top, two));
    const __m256i sorted = _mm256_permute4x64_epi64(bytes, 0xd8);
    const __m256i ds =
        _mm256_permutevar8x32_epi32(heads, _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4));
    const __m512 of = _mm512_castps128_ps512(_mm_cvtph_ps(_mm256_castsi256_si128(ds)));
    const __m512i d = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2);
    const __m512i dmin = _mm512_setr_epi32(1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3);
    scale = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm256_castsi256_si128(sorted))),
                          _mm512_permutexvar_ps(d, of));
    min =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm256_extracti128_si256(sorted, 1))),
                      _mm512_permutexvar_ps(dmin, of));
  }

 private:
  static __m128i head(const std::byte* block) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
  }
  // Where the word is that the byte of each of 16 lanes begins in, in pairs of vectors of 32 words;
  // and at which of its bits.
  template <class Stride>
  struct StridedWords {
    constexpr StridedWords() noexcept {
      for (int i = 0; i < 16; ++i) {
        const int word = Stride::at(i) / 2;
        index[i] = static_cast<std::uint16_t>(word % 64);
        mask[word / 64] |= 1U << i;
        shift[i] = Stride::at(i) % 2 * 8;
      }
    }
    static constexpr int kPairs = Stride::at(15) / 128 + 1;
    alignas(64) std::int32_t shift[16] = {};
    alignas(32) std::uint16_t index[16] = {};
    std::uint32_t mask[kPairs] = {};
  };
  // The first n words, if there are any, of at most 32.
  static __m512i load_words(const std::byte* p, int n) noexcept {
    if (n >= 32) return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi16(n <= 0 ? 0 : (1U << n) - 1U, p);
  }
};

}  // namespace
}  // namespace confab::kernels
