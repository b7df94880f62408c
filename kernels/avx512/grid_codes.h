// SPDX-License-Identifier: MIT
// Codes of the types that generic/weight_types.h takes by way of memory: put(type of block, block,
// q) gives the 256 weights of a block as signed bytes.
//
// Grids are looked up packed (iq_grids.h), as 16-bit numbers: up to 512 of them lie in registers,
// 64 to a permutation; in larger ones each entry is a load. The bits of a number are then spread to
// the bytes of 4 or 8 weights, and bytes looked up as levels. Signs are a mask of 64 bits.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/block_iq.h"
#include "kernels/iq_grids.h"

namespace confab::kernels {
namespace {

__m512i load_512(const void* p) noexcept {
  return _mm512_loadu_si512(p);
}
__m256i load_256(const void* p) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// Entries of the grid, a 16-bit index each.
template <std::size_t kEntries>
__m512i look_up_entries(const std::array<std::uint16_t, kEntries>& grid, __m512i index) noexcept {
  if constexpr (kEntries > 512) {
    alignas(64) std::uint16_t at[32], entries[32];
    _mm512_store_si512(at, index);
    for (int i = 0; i < 32; ++i) entries[i] = grid[at[i]];
    return _mm512_load_si512(entries);
  } else {
    constexpr int kPairs = kEntries / 64;
    __m512i found[kPairs];
    for (int i = 0; i < kPairs; ++i) {
      const std::uint16_t* part = grid.data() + 64 * i;
      found[i] = _mm512_permutex2var_epi16(load_512(part), index, load_512(part + 32));
    }
    for (int n = kPairs / 2, bit = 64; n > 0; n /= 2, bit *= 2) {
      const __mmask32 upper =
          _mm512_test_epi16_mask(index, _mm512_set1_epi16(static_cast<std::int16_t>(bit)));
      for (int i = 0; i < n; ++i) {
        found[i] = _mm512_mask_blend_epi16(upper, found[2 * i], found[2 * i + 1]);
      }
    }
    return found[0];
  }
}

// (x | x << kBits) & mask.
template <unsigned kBits>
__m512i spread(__m512i x, __m512i mask) noexcept {
  return _mm512_ternarylogic_epi64(x, _mm512_slli_epi64(x, kBits), mask, 0xa8);
}
// The eight 2-bit numbers of each of 8 words, a byte each.
__m512i spread_by_2(__m128i words) noexcept {
  __m512i x = _mm512_cvtepu16_epi64(words);
  x = spread<24>(x, _mm512_set1_epi64(0x000000ff000000ff));
  x = spread<12>(x, _mm512_set1_epi64(0x000f000f000f000f));
  return spread<6>(x, _mm512_set1_epi64(0x0303030303030303));
}
// The four 3-bit numbers of each of 16 words, a byte each.
__m512i spread_by_3(__m256i words) noexcept {
  __m512i x = _mm512_cvtepu16_epi32(words);
  x = spread<10>(x, _mm512_set1_epi32(0x003f003f));
  return spread<5>(x, _mm512_set1_epi32(0x07070707));
}

__m128i quarter(__m512i x, int i) noexcept {
  switch (i) {
    case 0:
      return _mm512_castsi512_si128(x);
    case 1:
      return _mm512_extracti32x4_epi32(x, 1);
    case 2:
      return _mm512_extracti32x4_epi32(x, 2);
    default:
      return _mm512_extracti32x4_epi32(x, 3);
  }
}

__m512i levels(std::uint64_t first, std::uint64_t second = 0) noexcept {
  return _mm512_broadcast_i32x4(
      _mm_set_epi64x(static_cast<long long>(second), static_cast<long long>(first)));
}

// What a mask chooses is negated.
void put_signed(__m512i magnitudes, std::uint64_t negative, std::int8_t* q) noexcept {
  const __m512i zero = _mm512_setzero_si512();
  _mm512_storeu_si512(q, _mm512_mask_sub_epi8(magnitudes, negative, zero, magnitudes));
}

// 256 weights of the three levels of IQ2, from 32 entries of a grid and four masks.
void put_iq2(__m512i entries, const std::uint64_t signs[4], std::int8_t* q) noexcept {
  const __m512i of = levels(0x2b1908);  // 8, 25, 43
  for (int i = 0; i < 4; ++i) {
    const __m512i codes = spread_by_2(quarter(entries, i));
    put_signed(_mm512_shuffle_epi8(of, codes), signs[i], q + 64 * i);
  }
}

// With an eighth bit that makes the number of bits of a byte even.
__m256i with_even_signs(__m256i seven) noexcept {
  __m256i x = _mm256_xor_si256(seven, _mm256_srli_epi16(seven, 4));
  x = _mm256_xor_si256(x, _mm256_srli_epi16(x, 2));
  x = _mm256_xor_si256(x, _mm256_srli_epi16(x, 1));
  x = _mm256_and_si256(x, _mm256_set1_epi8(1));
  return _mm256_or_si256(seven, _mm256_slli_epi16(x, 7));
}
// The low 28 bits of each of 8 words, 7 to a byte and the eighth.
void even_signs(__m256i words, std::uint64_t signs[4]) noexcept {
  const auto field = [&](__m256i x, int mask) {
    return _mm256_and_si256(x, _mm256_set1_epi32(mask));
  };
  const __m256i low =
      _mm256_or_si256(field(words, 0x7f), field(_mm256_slli_epi32(words, 1), 0x7f00));
  const __m256i high = _mm256_or_si256(field(_mm256_slli_epi32(words, 2), 0x7f0000),
                                       field(_mm256_slli_epi32(words, 3), 0x7f000000));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(signs),
                      with_even_signs(_mm256_or_si256(low, high)));
}

struct GridCodes {
  static void put(Of<BlockIQ2_XXS>, const std::byte* block, std::int8_t* q) noexcept {
    const __m512i qs = load_512(block + offsetof(BlockIQ2_XXS, qs));
    const __m256i index = _mm512_cvtepi64_epi32(qs);
    std::uint64_t signs[4];
    even_signs(_mm512_cvtepi64_epi32(_mm512_srli_epi64(qs, 32)), signs);
    put_iq2(look_up_entries(kIq2XxsPacked, _mm512_cvtepu8_epi16(index)), signs, q);
  }
  static void put(Of<BlockIQ2_XS>, const std::byte* block, std::int8_t* q) noexcept {
    const __m512i qs = load_512(block + offsetof(BlockIQ2_XS, qs));
    std::uint64_t signs[4];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(signs),
                        with_even_signs(_mm512_cvtepi16_epi8(_mm512_srli_epi16(qs, 9))));
    const __m512i index = _mm512_and_si512(qs, _mm512_set1_epi16(511));
    put_iq2(look_up_entries(kIq2XsPacked, index), signs, q);
  }
  static void put(Of<BlockIQ2_S>, const std::byte* block, std::int8_t* q) noexcept {
    const auto qh = load_as<std::int64_t>(block + offsetof(BlockIQ2_S, qh));
    __m512i high = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(qh));  // bits 2i go to word i
    high = _mm512_or_si512(high, _mm512_slli_epi64(high, 14));
    high = _mm512_or_si512(high, _mm512_slli_epi64(high, 28));
    high = _mm512_slli_epi16(_mm512_and_si512(high, _mm512_set1_epi16(3)), 8);
    const __m512i low = _mm512_cvtepu8_epi16(load_256(block + offsetof(BlockIQ2_S, qs)));
    std::uint64_t signs[4];
    std::memcpy(signs, block + offsetof(BlockIQ2_S, signs), sizeof signs);
    put_iq2(look_up_entries(kIq2SPacked, _mm512_or_si512(low, high)), signs, q);
  }
  static void put(Of<BlockIQ3_XXS>, const std::byte* block, std::int8_t* q) noexcept {
    std::uint64_t signs[4];
    even_signs(load_256(block + offsetof(BlockIQ3_XXS, signs)), signs);
    for (int half = 0; half < 2; ++half) {
      const __m256i index = load_256(block + offsetof(BlockIQ3_XXS, qs) + 32 * half);
      put_iq3(look_up_entries(kIq3XxsPacked, _mm512_cvtepu8_epi16(index)),
              levels(0x3e342c241c140c04), signs + 2 * half, q + 128 * half);
    }
  }
  static void put(Of<BlockIQ3_S>, const std::byte* block, std::int8_t* q) noexcept {
    std::uint64_t signs[4];
    std::memcpy(signs, block + offsetof(BlockIQ3_S, signs), sizeof signs);
    for (int half = 0; half < 2; ++half) {
      const __m256i low = load_256(block + offsetof(BlockIQ3_S, qs) + 32 * half);
      const auto high = load_as<std::uint32_t>(block + offsetof(BlockIQ3_S, qh) + 4 * half);
      __m512i index = _mm512_cvtepu8_epi16(low);
      index = _mm512_mask_add_epi16(index, high, index, _mm512_set1_epi16(256));
      put_iq3(look_up_entries(kIq3SPacked, index), levels(0x0f0d0b0907050301), signs + 2 * half,
              q + 128 * half);
    }
  }
  static void put(Of<BlockIQ1_S>, const std::byte* block, std::int8_t* q) noexcept {
    const __m128i qh = Simd::load_quarter(block + offsetof(BlockIQ1_S, qh));
    __m512i high = _mm512_cvtepu16_epi64(qh);  // bits 3i go to word i
    high = _mm512_or_si512(high, _mm512_slli_epi64(high, 13));
    high = _mm512_or_si512(high, _mm512_slli_epi64(high, 26));
    high = _mm512_slli_epi16(_mm512_and_si512(high, _mm512_set1_epi16(7)), 8);
    const __m512i low = _mm512_cvtepu8_epi16(load_256(block + offsetof(BlockIQ1_S, qs)));
    // The highest bit of each of 8 words is the shift of 32 weights.
    const __m256i down = _mm256_srai_epi32(_mm256_cvtepi16_epi32(qh), 31);
    put_iq1(_mm512_or_si512(low, high), _mm256_movemask_epi8(down), q);
  }
  static void put(Of<BlockIQ1_M>, const std::byte* block, std::int8_t* q) noexcept {
    __m512i half = _mm512_cvtepu8_epi32(Simd::load_quarter(block + offsetof(BlockIQ1_M, qh)));
    half = _mm512_or_si512(half, _mm512_slli_epi32(half, 12));  // halves to words
    const __m512i high = _mm512_slli_epi16(_mm512_and_si512(half, _mm512_set1_epi16(7)), 8);
    const __m512i low = _mm512_cvtepu8_epi16(load_256(block + offsetof(BlockIQ1_M, qs)));
    const __mmask32 down = _mm512_test_epi16_mask(half, _mm512_set1_epi16(8));
    put_iq1(_mm512_or_si512(low, high), static_cast<int>(down), q);
  }
  static void put(Of<BlockTQ1_0>, const std::byte* block, std::int8_t* q) noexcept {
    const std::byte* qs = block + offsetof(BlockTQ1_0, qs);
    const __m512i first = _mm512_cvtepu8_epi16(load_256(qs));
    const __m256i second = _mm256_cvtepu8_epi16(Simd::load_quarter(qs + 32));
    const __m512i twice = _mm512_broadcast_i64x4(second);
    for (int c = 0; c < 5; ++c) {
      store_256(q + 32 * c, digits(first, _mm512_set1_epi16(kPowers[c])));
    }
    for (int c = 0; c < 4; c += 2) {
      const __m512i powers =
          _mm512_inserti64x4(_mm512_set1_epi16(kPowers[c]), _mm256_set1_epi16(kPowers[c + 1]), 1);
      store_256(q + 160 + 16 * c, digits(twice, powers));
    }
    // The last digit of 16 bytes, and the four digits of 4.
    const auto last = load_as<std::int32_t>(block + offsetof(BlockTQ1_0, qh));
    const __m256i four = _mm256_cvtepu8_epi16(_mm_set1_epi32(last));
    const __m256i powers = _mm256_set_epi64x(0x001b001b001b001b, 0x0009000900090009,
                                             0x0003000300030003, 0x0001000100010001);
    store_256(q + 224, digits(_mm512_inserti64x4(_mm512_castsi256_si512(second), four, 1),
                              _mm512_inserti64x4(_mm512_set1_epi16(81), powers, 1)));
  }

 private:
  static constexpr std::int16_t kPowers[5] = {1, 3, 9, 27, 81};

  static void store_256(std::int8_t* q, __m256i x) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), x);
  }
  // The digits in base 3, less 1, of bytes: of each one its fraction times a power of 3.
  static __m256i digits(__m512i bytes, __m512i power) noexcept {
    const __m512i fraction =
        _mm512_and_si512(_mm512_mullo_epi16(bytes, power), _mm512_set1_epi16(255));
    const __m512i digit =
        _mm512_srli_epi16(_mm512_add_epi16(fraction, _mm512_add_epi16(fraction, fraction)), 8);
    return _mm512_cvtepi16_epi8(_mm512_sub_epi16(digit, _mm512_set1_epi16(1)));
  }
  static void put_iq3(__m512i entries, __m512i of, const std::uint64_t signs[2],
                      std::int8_t* q) noexcept {
    const __m512i low = spread_by_3(_mm512_castsi512_si256(entries));
    const __m512i high = spread_by_3(_mm512_extracti64x4_epi64(entries, 1));
    put_signed(_mm512_shuffle_epi8(of, low), signs[0], q);
    put_signed(_mm512_shuffle_epi8(of, high), signs[1], q + 64);
  }
  // Bit i of `down`: weights 8i .. 8i + 7 are an eighth less than the grid says, or else more.
  static void put_iq1(__m512i index, int down, std::int8_t* q) noexcept {
    const __m512i entries = look_up_entries(kIq1Packed, index);
    const __m512i of = levels(0x0007fff7000901f9);  // -7, 1, 9, and from 4 on -9, -1, 7
    const __m512i four = _mm512_set1_epi8(4);
    for (int i = 0; i < 4; ++i) {
      __m512i codes = spread_by_2(quarter(entries, i));
      const auto lower = static_cast<__mmask8>(down >> 8 * i);
      codes = _mm512_mask_or_epi64(codes, lower, codes, four);
      _mm512_storeu_si512(q + 64 * i, _mm512_shuffle_epi8(of, codes));
    }
  }
};

}  // namespace
}  // namespace confab::kernels
