// SPDX-License-Identifier: MIT
// Unpacks the codes of quantised weights to bytes in a register, for generic/. In each struct,
// codes(p, slice) returns weights 32 slice to 32 slice + 31 of the 256 that start at p.
// avx512/codes.h builds on these. generic/table.h gives the difference between a code and the
// weight's number.
#pragma once

#include <immintrin.h>

#include "kernels/block_iq.h"

namespace confab::kernels {
namespace {

__m256i load_32(const std::byte* p) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

// Unpacks 16 bytes of half codes: first the low halves, then the high ones.
__m256i half_codes(const std::byte* p) noexcept {
  const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m256i both =
      _mm256_inserti128_si256(_mm256_castsi128_si256(packed), _mm_srli_epi16(packed, 4), 1);
  return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

// `value` in each byte whose bit is set, for 32 bits.
__m256i spread_bits(const std::byte* p, char value) noexcept {
  const __m256i spread = _mm256_shuffle_epi8(
      _mm256_set1_epi32(load_as<std::int32_t>(p)),
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
  const __m256i own = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201U));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, own), own);
  return _mm256_and_si256(set, _mm256_set1_epi8(value));
}

// Bits [shift, shift + log2(mask + 1)) of each byte. The mask removes bits that were shifted in
// from neighbouring bytes.
__m256i bits_of_bytes(const std::byte* p, int shift, char mask) noexcept {
  const __m256i shifted = _mm256_srl_epi16(load_32(p), _mm_cvtsi32_si128(shift));
  return _mm256_and_si256(shifted, _mm256_set1_epi8(mask));
}

__m256i look_up(const std::int8_t values[16], __m256i codes) noexcept {
  const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), codes);
}

// The address of a part of block `slice`, for blocks of 32.
template <class Block>
const std::byte* block_at(const std::byte* p, int slice, std::size_t offset) noexcept {
  return p + sizeof(Block) * static_cast<unsigned>(slice) + offset;
}

struct CodesQ8_0 {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return load_32(block_at<BlockQ8_0>(p, slice, offsetof(BlockQ8_0, qs)));
  }
};

template <class Block>  // Q4_0, Q4_1
struct CodesOf4Bits {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return half_codes(block_at<Block>(p, slice, offsetof(Block, qs)));
  }
};

template <class Block>  // Q5_0, Q5_1
struct CodesOf5Bits {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const __m256i low = half_codes(block_at<Block>(p, slice, offsetof(Block, qs)));
    return _mm256_or_si256(low, spread_bits(block_at<Block>(p, slice, offsetof(Block, qh)), 16));
  }
};

struct CodesIQ4_NL {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return look_up(kIq4Values, CodesOf4Bits<BlockIQ4_NL>::codes(p, slice));
  }
};

struct CodesIQ4_XS {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return look_up(kIq4Values, half_codes(p + offsetof(BlockIQ4_XS, qs) + 16 * slice));
  }
};

struct CodesMXFP4 {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return look_up(kE2M1Raised, CodesOf4Bits<BlockMXFP4>::codes(p, slice));
  }
};

struct CodesNVFP4 {  // the halves of each 8 bytes are 8 codes apart
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockNVFP4>(p, slice / 2, offsetof(BlockNVFP4, qs));
    const __m256i halves = half_codes(qs + 16 * (slice % 2));
    return look_up(kE2M1Raised, _mm256_permute4x64_epi64(halves, 0xd8));
  }
};

struct CodesQ1_0 {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockQ1_0>(p, slice / 4, offsetof(BlockQ1_0, qs));
    return spread_bits(qs + 4 * (slice % 4), 2);
  }
};

struct CodesQ2_0 {  // each byte's four codes become the four bytes of a word
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockQ2_0>(p, slice / 2, offsetof(BlockQ2_0, qs));
    const __m128i packed = _mm_set1_epi64x(load_as<std::int64_t>(qs + 8 * (slice % 2)));
    const __m256i words = _mm256_cvtepu8_epi32(packed);
    const __m256i low = _mm256_or_si256(words, _mm256_slli_epi32(words, 6));
    const __m256i both = _mm256_or_si256(low, _mm256_slli_epi32(low, 12));
    return _mm256_and_si256(both, _mm256_set1_epi8(3));
  }
};

struct CodesTQ2_0 {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return bits_of_bytes(p + offsetof(BlockTQ2_0, qs) + 32 * (slice / 4), 2 * (slice % 4), 3);
  }
};

struct CodesQ2_K {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = p + offsetof(BlockQ2_K, qs) + 32 * (slice / 4);
    return bits_of_bytes(qs, 2 * (slice % 4), 3);
  }
};

struct CodesQ3_K {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = p + offsetof(BlockQ3_K, qs) + 32 * (slice / 4);
    const __m256i high = bits_of_bytes(p + offsetof(BlockQ3_K, hmask), slice, 1);
    return _mm256_or_si256(bits_of_bytes(qs, 2 * (slice % 4), 3), _mm256_slli_epi16(high, 2));
  }
};

struct CodesQ4_K {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    return bits_of_bytes(p + offsetof(BlockQ4_K, qs) + 32 * (slice / 2), 4 * (slice % 2), 15);
  }
};

struct CodesQ5_K {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = p + offsetof(BlockQ5_K, qs) + 32 * (slice / 2);
    const __m256i high = bits_of_bytes(p + offsetof(BlockQ5_K, qh), slice, 1);
    return _mm256_or_si256(bits_of_bytes(qs, 4 * (slice % 2), 15), _mm256_slli_epi16(high, 4));
  }
};

struct CodesQ6_K {
  static __m256i codes(const std::byte* p, int slice) noexcept {
    const int half = slice / 4, c = slice % 4;
    const std::byte* ql = p + offsetof(BlockQ6_K, ql) + 64 * half + 32 * (c % 2);
    const __m256i high = bits_of_bytes(p + offsetof(BlockQ6_K, qh) + 32 * half, 2 * c, 3);
    return _mm256_or_si256(bits_of_bytes(ql, 4 * (c / 2), 15), _mm256_slli_epi16(high, 4));
  }
};

struct Codes {
  using Q4_0 = CodesOf4Bits<BlockQ4_0>;
  using Q4_1 = CodesOf4Bits<BlockQ4_1>;
  using Q5_0 = CodesOf5Bits<BlockQ5_0>;
  using Q5_1 = CodesOf5Bits<BlockQ5_1>;
  using Q8_0 = CodesQ8_0;
  using IQ4_NL = CodesIQ4_NL;
  using MXFP4 = CodesMXFP4;
  using NVFP4 = CodesNVFP4;
  using Q1_0 = CodesQ1_0;
  using Q2_0 = CodesQ2_0;
  using TQ2_0 = CodesTQ2_0;
  using Q2_K = CodesQ2_K;
  using Q3_K = CodesQ3_K;
  using Q4_K = CodesQ4_K;
  using Q5_K = CodesQ5_K;
  using Q6_K = CodesQ6_K;
  using IQ4_XS = CodesIQ4_XS;
};

}  // namespace
}  // namespace confab::kernels
