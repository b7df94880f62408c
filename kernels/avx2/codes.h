// SPDX-License-Identifier: MIT
// Codes of quantised weights, unpacked to bytes in a register. For generic/: in each, codes(p,
// piece) gives weights 32 piece .. 32 piece + 31 of the 256 that start at p. Q8_0's are signed.
#pragma once

#include "kernels/avx2/simd.h"

namespace confab::kernels {
namespace {

struct CodesQ8_0 {
  static __m256i codes(const std::byte* p, int piece) noexcept {
    return Simd::load_bytes(p + sizeof(BlockQ8_0) * static_cast<unsigned>(piece) + 2);
  }
};

struct CodesQ4_0 {
  static __m256i codes(const std::byte* p, int piece) noexcept {
    const __m128i packed = Simd::load_16(p + sizeof(BlockQ4_0) * static_cast<unsigned>(piece) + 2);
    const __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(packed), _mm_srli_epi16(packed, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
  }
  static __m256i low_codes(const std::byte* p, int piece) noexcept { return codes(p, piece); }
};

// Bits [shift, shift + log2(mask + 1)) of each byte, for a mask that leaves out what other bytes'
// bits were shifted in.
static __m256i bits_of_bytes(const std::byte* p, int shift, char mask) noexcept {
  const __m256i shifted = _mm256_srl_epi16(Simd::load_bytes(p), _mm_cvtsi32_si128(shift));
  return _mm256_and_si256(shifted, _mm256_set1_epi8(mask));
}

struct CodesQ4_K {
  static __m256i codes(const std::byte* p, int piece) noexcept {
    return bits_of_bytes(p + offsetof(BlockQ4_K, qs) + 32 * (piece / 2), 4 * (piece % 2), 15);
  }
};

struct CodesQ5_K {
  static __m256i codes(const std::byte* p, int piece) noexcept {
    const std::byte* qs = p + offsetof(BlockQ5_K, qs) + 32 * (piece / 2);
    const __m256i high = bits_of_bytes(p + offsetof(BlockQ5_K, qh), piece, 1);
    return _mm256_or_si256(bits_of_bytes(qs, 4 * (piece % 2), 15), _mm256_slli_epi16(high, 4));
  }
};

struct CodesQ6_K {
  static __m256i codes(const std::byte* p, int piece) noexcept {
    const int half = piece / 4, c = piece % 4;
    const std::byte* ql = p + offsetof(BlockQ6_K, ql) + 64 * half + 32 * (c % 2);
    const __m256i high = bits_of_bytes(p + offsetof(BlockQ6_K, qh) + 32 * half, 2 * c, 3);
    return _mm256_or_si256(bits_of_bytes(ql, 4 * (c / 2), 15), _mm256_slli_epi16(high, 4));
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
