// SPDX-License-Identifier: MIT
// Codes of quantised weights, unpacked to bytes in a register. For generic/matmul_q8.h: in each,
// codes(p, piece) gives weights 64 piece .. 64 piece + 63 of the 256 that start at p, and
// low_codes() the first 32 of those, with zeros above, where the row ends half-way.
#pragma once

#include "kernels/avx2/codes.h"
#include "kernels/avx512/simd.h"

namespace confab::kernels {
namespace {

// Two of the 256-bit codes.
template <class Half>
struct Pairs {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Half::codes(p, 2 * piece)),
                              Half::codes(p, 2 * piece + 1), 1);
  }
  static __m512i low_codes(const std::byte* p, int piece) noexcept {
    return _mm512_zextsi256_si512(Half::codes(p, 2 * piece));
  }
};

// 32 bytes of half codes: the low halves in the low 32 bytes, the high halves above.
__m512i split_halves(const std::byte* p) noexcept {
  const __m512i twice = _mm512_broadcast_i64x4(Simd::load_half(p));
  const __m512i shift = _mm512_set_epi64(4, 4, 4, 4, 0, 0, 0, 0);
  return _mm512_and_si512(_mm512_srlv_epi64(twice, shift), _mm512_set1_epi8(15));
}

// The number in each quad word's every byte shifted by its own count, which differs by half.
__m512i shift_halves(__m256i x, int low, int high) noexcept {
  const __m512i twice = _mm512_broadcast_i64x4(x);
  const __m512i shift = _mm512_inserti64x4(_mm512_set1_epi64(low), _mm256_set1_epi64x(high), 1);
  return _mm512_srlv_epi64(twice, shift);
}

struct WideQ4_K {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    return split_halves(p + offsetof(BlockQ4_K, qs) + 32 * piece);
  }
};

struct WideQ5_K {
  static __m512i codes(const std::byte* p, int piece) noexcept {
    const __m512i low = split_halves(p + offsetof(BlockQ5_K, qs) + 32 * piece);
    const __m256i qh = Simd::load_half(p + offsetof(BlockQ5_K, qh));
    const __m512i bits =
        _mm512_and_si512(shift_halves(qh, 2 * piece, 2 * piece + 1), _mm512_set1_epi8(1));
    return _mm512_or_si512(low, _mm512_slli_epi16(bits, 4));
  }
};

struct WideQ6_K {
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

struct WideCodes {
  using Q4_0 = Pairs<Codes::Q4_0>;
  using Q4_1 = Pairs<Codes::Q4_1>;
  using Q5_0 = Pairs<Codes::Q5_0>;
  using Q5_1 = Pairs<Codes::Q5_1>;
  using Q8_0 = Pairs<Codes::Q8_0>;
  using IQ4_NL = Pairs<Codes::IQ4_NL>;
  using MXFP4 = Pairs<Codes::MXFP4>;
  using NVFP4 = Pairs<Codes::NVFP4>;
  using Q1_0 = Pairs<Codes::Q1_0>;
  using Q2_0 = Pairs<Codes::Q2_0>;
  using TQ2_0 = Pairs<Codes::TQ2_0>;
  using Q2_K = Pairs<Codes::Q2_K>;
  using Q3_K = Pairs<Codes::Q3_K>;
  using Q4_K = WideQ4_K;
  using Q5_K = WideQ5_K;
  using Q6_K = WideQ6_K;
  using IQ4_XS = Pairs<Codes::IQ4_XS>;
};

}  // namespace
}  // namespace confab::kernels
