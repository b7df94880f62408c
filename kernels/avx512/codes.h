// SPDX-License-Identifier: MIT
// Unpacks the codes of quantised weights to bytes in a register, for generic/matmul_q8.h. In each
// struct, codes(p, slice) returns weights 64 slice to 64 slice + 63 of the 256 that start at p. If
// a row ends half-way, low_codes() returns the first 32 of those, followed by zeros. Halves(p) is
// for 16 blocks of 32 from p on: four(i, out) returns the first 16 codes of each of blocks 4i to 4i
// + 3 in out[0], and the other codes in out[1].
#pragma once

#include "kernels/avx2/codes.h"
#include "kernels/avx512/grid_codes.h"
#include "kernels/avx512/simd.h"
#include "kernels/generic/strided.h"

namespace confab::kernels {
namespace {

// Joins two of the 256-bit codes.
template <class Half>
struct Pairs {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Half::codes(p, 2 * slice)),
                              Half::codes(p, 2 * slice + 1), 1);
  }
  static __m512i low_codes(const std::byte* p, int slice) noexcept {
    return _mm512_zextsi256_si512(Half::codes(p, 2 * slice));
  }
};

// Unpacks 32 bytes of half codes: low halves to the low 32 bytes, high halves to the high ones.
__m512i split_halves(const std::byte* p) noexcept {
  const __m512i twice = _mm512_broadcast_i64x4(Simd::load_half(p));
  const __m512i shift = _mm512_set_epi64(4, 4, 4, 4, 0, 0, 0, 0);
  return _mm512_and_si512(_mm512_srlv_epi64(twice, shift), _mm512_set1_epi8(15));
}

// Shifts each quad word of x by `low` in the low half of the result and by `high` in the high half.
__m512i shift_halves(__m256i x, int low, int high) noexcept {
  const __m512i twice = _mm512_broadcast_i64x4(x);
  const __m512i shift = _mm512_inserti64x4(_mm512_set1_epi64(low), _mm256_set1_epi64x(high), 1);
  return _mm512_srlv_epi64(twice, shift);
}

// Unpacks the half codes of two blocks of 32, 16 bytes each: for each block the low halves, then
// the high ones.
__m512i split_quarters(__m256i packed) noexcept {
  const __m512i wide = _mm512_castsi256_si512(packed);
  const __m512i twice = _mm512_shuffle_i64x2(wide, wide, 0x50);
  return _mm512_and_si512(_mm512_mask_srli_epi64(twice, 0xcc, twice, 4), _mm512_set1_epi8(15));
}

template <class Block>
struct WideOf4Bits {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<Block>(p, 2 * slice, offsetof(Block, qs));
    const __m256i low = _mm256_castsi128_si256(Simd::load_quarter(qs));
    return split_quarters(_mm256_inserti128_si256(low, Simd::load_quarter(qs + sizeof(Block)), 1));
  }
  static __m512i low_codes(const std::byte* p, int slice) noexcept {
    return _mm512_zextsi256_si512(CodesOf4Bits<Block>::codes(p, 2 * slice));
  }
  struct Halves {
    explicit Halves(const std::byte* p) noexcept : first(p) {}
    void four(int i, __m512i out[2]) const noexcept {
      const auto qs = [&](int b) {
        return Simd::load_quarter(block_at<Block>(first, 4 * i + b, offsetof(Block, qs)));
      };
      __m512i x = _mm512_inserti32x4(_mm512_castsi128_si512(qs(0)), qs(1), 1);
      x = _mm512_inserti32x4(_mm512_inserti32x4(x, qs(2), 2), qs(3), 3);
      out[0] = _mm512_and_si512(x, _mm512_set1_epi8(15));
      out[1] = _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(15));
    }
    const std::byte* first;
  };
};

template <class Block>
struct WideOf5Bits {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qh = block_at<Block>(p, 2 * slice, offsetof(Block, qh));
    const auto first = load_as<std::uint32_t>(qh);
    const auto second = std::uint64_t{load_as<std::uint32_t>(qh + sizeof(Block))};
    const __m512i low = WideOf4Bits<Block>::codes(p, slice);
    return _mm512_mask_add_epi8(low, first | second << 32, low, _mm512_set1_epi8(16));
  }
  static __m512i low_codes(const std::byte* p, int slice) noexcept {
    return _mm512_zextsi256_si512(CodesOf5Bits<Block>::codes(p, 2 * slice));
  }
  struct Halves {
    explicit Halves(const std::byte* p) noexcept : low(p) {
      using At = generic::Stride<sizeof(Block)>;
      const std::byte* qh = p + offsetof(Block, qh);
      _mm256_store_si256(reinterpret_cast<__m256i*>(bits[0]), Simd::read_u16<At>(qh, 16));
      _mm256_store_si256(reinterpret_cast<__m256i*>(bits[1]), Simd::read_u16<At>(qh + 2, 16));
    }
    void four(int i, __m512i out[2]) const noexcept {
      low.four(i, out);
      for (int h = 0; h < 2; ++h)
        out[h] = _mm512_mask_add_epi8(out[h], bits[h][i], out[h], _mm512_set1_epi8(16));
    }
    typename WideOf4Bits<Block>::Halves low;
    alignas(32) std::uint64_t bits[2][4];  // the fifth bits of the first and of the second halves
  };
};

// Halves whose codes are looked up in a table.
template <class Of, const std::int8_t* kValues>
struct LookedUp : Of {
  using Of::Of;
  void four(int i, __m512i out[2]) const noexcept {
    Of::four(i, out);
    for (int h = 0; h < 2; ++h) out[h] = Simd::look_up(kValues, out[h]);
  }
};

struct WideIQ4_NL {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    return Simd::look_up(kIq4Values, WideOf4Bits<BlockIQ4_NL>::codes(p, slice));
  }
  static __m512i low_codes(const std::byte* p, int slice) noexcept {
    return _mm512_zextsi256_si512(CodesIQ4_NL::codes(p, 2 * slice));
  }
  using Halves = LookedUp<WideOf4Bits<BlockIQ4_NL>::Halves, kIq4Values>;
};

struct WideIQ4_XS {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    return Simd::look_up(
        kIq4Values, split_quarters(Simd::load_half(p + offsetof(BlockIQ4_XS, qs) + 32 * slice)));
  }
};

struct WideMXFP4 {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    return Simd::look_up(kE2M1Raised, WideOf4Bits<BlockMXFP4>::codes(p, slice));
  }
  static __m512i low_codes(const std::byte* p, int slice) noexcept {
    return _mm512_zextsi256_si512(CodesMXFP4::codes(p, 2 * slice));
  }
  using Halves = LookedUp<WideOf4Bits<BlockMXFP4>::Halves, kE2M1Raised>;
};

struct WideNVFP4 : Pairs<CodesNVFP4> {  // the halves of each 8 bytes are 8 codes apart
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const __m512i qs = _mm512_castsi256_si512(
        Simd::load_half(block_at<BlockNVFP4>(p, slice, offsetof(BlockNVFP4, qs))));
    const __m512i twice = _mm512_permutexvar_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0), qs);
    const __m512i halves = _mm512_mask_srli_epi64(twice, 0xaa, twice, 4);
    return Simd::look_up(kE2M1Raised, _mm512_and_si512(halves, _mm512_set1_epi8(15)));
  }
};

struct WideQ1_0 : Pairs<CodesQ1_0> {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockQ1_0>(p, slice / 2, offsetof(BlockQ1_0, qs));
    return _mm512_maskz_set1_epi8(load_as<std::uint64_t>(qs + 8 * (slice % 2)), 2);
  }
};

struct WideQ2_0 : Pairs<CodesQ2_0> {  // each byte's four codes become the four bytes of a word
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockQ2_0>(p, slice, offsetof(BlockQ2_0, qs));
    const __m512i words = _mm512_cvtepu8_epi32(Simd::load_quarter(qs));
    const __m512i both = spread<12>(words, _mm512_set1_epi32(0x000f000f));
    return spread<6>(both, _mm512_set1_epi32(0x03030303));
  }
};

// Two bits of each of 32 bytes, starting at bit 4 (slice % 2), then the next two bits.
__m512i two_bits(const std::byte* qs, int slice) noexcept {
  const int low = 4 * (slice % 2);
  const __m512i shifted = shift_halves(Simd::load_half(qs + 32 * (slice / 2)), low, low + 2);
  return _mm512_and_si512(shifted, _mm512_set1_epi8(3));
}

template <class Block>  // Q2_K, TQ2_0
struct WideOf2Bits {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    return two_bits(p + offsetof(Block, qs), slice);
  }
};

struct WideQ3_K {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const __m256i hmask = Simd::load_half(p + offsetof(BlockQ3_K, hmask));
    const __m512i high =
        _mm512_and_si512(shift_halves(hmask, 2 * slice, 2 * slice + 1), _mm512_set1_epi8(1));
    const __m512i low = two_bits(p + offsetof(BlockQ3_K, qs), slice);
    return _mm512_or_si512(low, _mm512_slli_epi16(high, 2));
  }
};

struct WideQ4_K {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    return split_halves(p + offsetof(BlockQ4_K, qs) + 32 * slice);
  }
};

struct WideQ5_K {
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const __m512i low = split_halves(p + offsetof(BlockQ5_K, qs) + 32 * slice);
    const __m256i qh = Simd::load_half(p + offsetof(BlockQ5_K, qh));
    const __m512i bits =
        _mm512_and_si512(shift_halves(qh, 2 * slice, 2 * slice + 1), _mm512_set1_epi8(1));
    return _mm512_or_si512(low, _mm512_slli_epi16(bits, 4));
  }
};

struct WideQ6_K {
  // Slice 2h + c of half h uses the c-th halves of 64 bytes of ql, and bits 4c to 4c + 3 of qh.
  static __m512i codes(const std::byte* p, int slice) noexcept {
    const int half = slice / 2, c = slice % 2;
    const __m512i ql = _mm512_loadu_si512(p + offsetof(BlockQ6_K, ql) + 64 * half);
    const __m512i low =
        _mm512_and_si512(_mm512_srl_epi16(ql, _mm_cvtsi32_si128(4 * c)), _mm512_set1_epi8(15));
    const __m256i qh = Simd::load_half(p + offsetof(BlockQ6_K, qh) + 32 * half);
    const __m512i high = _mm512_and_si512(shift_halves(qh, 4 * c, 4 * c + 2), _mm512_set1_epi8(3));
    return _mm512_or_si512(low, _mm512_slli_epi16(high, 4));
  }
};

struct WideCodes : GridCodes {
  using Q4_0 = WideOf4Bits<BlockQ4_0>;
  using Q4_1 = WideOf4Bits<BlockQ4_1>;
  using Q5_0 = WideOf5Bits<BlockQ5_0>;
  using Q5_1 = WideOf5Bits<BlockQ5_1>;
  using Q8_0 = Pairs<Codes::Q8_0>;
  using IQ4_NL = WideIQ4_NL;
  using MXFP4 = WideMXFP4;
  using NVFP4 = WideNVFP4;
  using Q1_0 = WideQ1_0;
  using Q2_0 = WideQ2_0;
  using TQ2_0 = WideOf2Bits<BlockTQ2_0>;
  using Q2_K = WideOf2Bits<BlockQ2_K>;
  using Q3_K = WideQ3_K;
  using Q4_K = WideQ4_K;
  using Q5_K = WideQ5_K;
  using Q6_K = WideQ6_K;
  using IQ4_XS = WideIQ4_XS;
};

}  // namespace
}  // namespace confab::kernels
