// SPDX-License-Identifier: MIT
// Codes of quantised weights, unpacked to bytes in a register. For generic/matmul_q8.h: in each,
// codes(p, piece) gives weights 64 piece .. 64 piece + 63 of the 256 that start at p, and
// low_codes() the first 32 of those, with zeros above, where the row ends half-way.
#pragma once

#include "kernels/avx512/simd.h"

namespace confab::kernels {
namespace {

struct CodesQ8_0 {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    const std::byte* block = p + 2 * sizeof(BlockQ8_0) * static_cast<unsigned>(piece) + 2;
    const __m512i low = low_block(block);
    const __m512i both = _mm512_inserti64x4(low, Simd::load_half(block + sizeof(BlockQ8_0)), 1);
    return Simd::raise_signed(both);
  }
  static __m512i low_codes(const std::byte* p, int piece) noexcept {
    const std::byte* block = p + 2 * sizeof(BlockQ8_0) * static_cast<unsigned>(piece) + 2;
    return Simd::raise_signed(_mm512_zextsi256_si512(Simd::load_half(block)));
  }

 private:
  static __m512i low_block(const std::byte* qs) noexcept {
    return _mm512_castsi256_si512(Simd::load_half(qs));
  }
};

struct CodesQ4_0 {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    const std::byte* block = p + 2 * sizeof(BlockQ4_0) * static_cast<unsigned>(piece) + 2;
    return _mm512_inserti64x4(_mm512_castsi256_si512(block_codes(block)),
                              block_codes(block + sizeof(BlockQ4_0)), 1);
  }
  static __m512i low_codes(const std::byte* p, int piece) noexcept {
    const std::byte* block = p + 2 * sizeof(BlockQ4_0) * static_cast<unsigned>(piece) + 2;
    return _mm512_zextsi256_si512(block_codes(block));
  }

 private:
  static __m256i block_codes(const std::byte* qs) noexcept {
    const __m128i packed = Simd::load_quarter(qs);
    const __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(packed), _mm_srli_epi16(packed, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
  }
};

// 32 bytes of half codes: the low halves in the low 32 bytes, the high halves above.
static __m512i split_halves(const std::byte* p) noexcept {
  const __m512i twice = _mm512_broadcast_i64x4(Simd::load_half(p));
  const __m512i shift = _mm512_set_epi64(4, 4, 4, 4, 0, 0, 0, 0);
  return _mm512_and_si512(_mm512_srlv_epi64(twice, shift), _mm512_set1_epi8(15));
}

// The number in each quad word's every byte shifted by its own count, which differs by half.
static __m512i shift_halves(__m256i x, int low, int high) noexcept {
  const __m512i twice = _mm512_broadcast_i64x4(x);
  const __m512i shift = _mm512_inserti64x4(_mm512_set1_epi64(low), _mm256_set1_epi64x(high), 1);
  return _mm512_srlv_epi64(twice, shift);
}

struct CodesQ4_K {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    return split_halves(p + offsetof(BlockQ4_K, qs) + 32 * piece);
  }
};

struct CodesQ5_K {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    const __m512i low = split_halves(p + offsetof(BlockQ5_K, qs) + 32 * piece);
    const __m256i qh = Simd::load_half(p + offsetof(BlockQ5_K, qh));
    const __m512i bits =
        _mm512_and_si512(shift_halves(qh, 2 * piece, 2 * piece + 1), _mm512_set1_epi8(1));
    return _mm512_or_si512(low, _mm512_slli_epi16(bits, 4));
  }
};

struct CodesQ6_K {
  // Piece 2h + c of half h takes the c-th halves of 64 bytes of ql, and bits 4c .. 4c + 3 of qh.
  static __m512i codes(const std::byte* p, int piece) noexcept {
    const int half = piece / 2, c = piece % 2;
    const __m512i ql = _mm512_loadu_si512(p + offsetof(BlockQ6_K, ql) + 64 * half);
    const __m512i low =
        _mm512_and_si512(_mm512_srl_epi16(ql, _mm_cvtsi32_si128(4 * c)), _mm512_set1_epi8(15));
    const __m256i qh = Simd::load_half(p + offsetof(BlockQ6_K, qh) + 32 * half);
    const __m512i high = _mm512_and_si512(shift_halves(qh, 4 * c, 4 * c + 2), _mm512_set1_epi8(3));
    return _mm512_or_si512(low, _mm512_slli_epi16(high, 4));
  }
};

struct Codes {
  using Q8_0 = CodesQ8_0;
  using Q4_0 = CodesQ4_0;
  using Q4_K = CodesQ4_K;
  using Q5_K = CodesQ5_K;
  using Q6_K = CodesQ6_K;
};

}  // namespace
}  // namespace confab::kernels
