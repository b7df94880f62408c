// SPDX-License-Identifier: MIT
// Codes of types with blocks of 256 whose weights come from a grid or a division. rows(type of
// block, blocks) returns an object for two blocks, with 64 weights per slice. Its dot(slice, x)
// returns the products with the activations at x, summed by fours, for codes that are kOffset
// higher. put(q) writes the weights of the first block as signed bytes.
//
// Entries of 8 weights are loaded as 8 bytes, with indices by way of memory. Entries of 4 weights
// are looked up in packed form (iq_grids.h), as 16-bit numbers in registers, 64 per permutation.
// Their bits are then spread to bytes, and the bytes are looked up as levels. Signs are 64-bit
// masks.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/block_iq.h"
#include "kernels/iq_grids.h"

namespace confab::kernels {
namespace {

// Weights given as magnitudes and masks of negative ones, by M. The signs are applied to the
// activations.
template <class M>
struct Signed : M {
  static constexpr int kOffset = 0;
  using M::M;

  __m512i dot(int slice, const std::byte* x) const noexcept {
    const __m512i q = Simd::load_bytes(x);
    return Simd::dot(Simd::zero_i(), M::magnitudes(slice), negate(q, M::negative(slice)));
  }
  void put(std::int8_t* q) const noexcept {
    for (int i = 0; i < 4; ++i) {
      _mm512_storeu_si512(q + 64 * i, negate(M::magnitudes(i), M::negative(i)));
    }
  }

 private:
  static __m512i negate(__m512i x, std::uint64_t negative) noexcept {
    return _mm512_mask_sub_epi8(x, negative, _mm512_setzero_si512(), x);
  }
};

// Codes that are U::kAbove higher than the weights.
template <class U>
struct Raised : U {
  static constexpr int kOffset = U::kAbove;
  using U::U;

  __m512i dot(int slice, const std::byte* x) const noexcept {
    return Simd::dot(Simd::zero_i(), U::codes(slice), Simd::load_bytes(x));
  }
  void put(std::int8_t* q) const noexcept {
    for (int i = 0; i < 4; ++i) {
      _mm512_storeu_si512(q + 64 * i, _mm512_sub_epi8(U::codes(i), _mm512_set1_epi8(kOffset)));
    }
  }
};

struct DigitsTQ1_0 {
  static constexpr int kAbove = 1;

  explicit DigitsTQ1_0(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      constexpr std::size_t kBytes = offsetof(BlockTQ1_0, d);
      __m512i power[5];  // the bytes times powers of 3
      power[0] = _mm512_maskz_loadu_epi8((std::uint64_t{1} << kBytes) - 1, blocks[i]);
      for (int c = 1; c < 5; ++c) {
        power[c] = _mm512_add_epi8(power[c - 1], _mm512_add_epi8(power[c - 1], power[c - 1]));
      }
      put(power, fractions + 4 * i);
    }
  }
  // The highest base-3 digit of fractions of 256, that is, the integer part of 3 x / 256. Computed
  // as a 64th of the sum of x and half of x, halved. All halves must be rounded down; the
  // instruction rounds up, so the bits are inverted.
  __m512i codes(int slice) const noexcept {
    const __m512i ones = _mm512_set1_epi8(-1);
    const __m512i x = _mm512_xor_si512(fractions[slice], ones);
    const __m512i sum = _mm512_avg_epu8(x, _mm512_avg_epu8(x, ones));
    return _mm512_andnot_si512(_mm512_srli_epi16(sum, 6), _mm512_set1_epi8(3));
  }

 private:
  // Arranges the bytes of a block in the order of their weights: 32 bytes times all powers, then
  // 16, then 4.
  static void put(const __m512i power[5], __m512i out[4]) noexcept {
    const __m512i third = _mm512_set_epi64(13, 12, 5, 4, 13, 12, 5, 4);  // quarters a2, b2, a2, b2
    out[0] = _mm512_inserti64x4(power[0], _mm512_castsi512_si256(power[1]), 1);
    out[1] = _mm512_inserti64x4(power[2], _mm512_castsi512_si256(power[3]), 1);
    out[2] =
        _mm512_mask_mov_epi64(_mm512_permutex2var_epi64(power[0], third, power[1]), 0x0f, power[4]);
    const __m512i fours = _mm512_unpacklo_epi64(_mm512_unpacklo_epi32(power[0], power[1]),
                                                _mm512_unpacklo_epi32(power[2], power[3]));
    out[3] = _mm512_permutex2var_epi64(power[2], third, power[3]);
    out[3] = _mm512_mask_mov_epi64(out[3], 0x30, power[4]);
    out[3] = _mm512_mask_mov_epi64(out[3], 0xc0, fours);
  }

  __m512i fractions[8];
};

__m512i load_512(const void* p) noexcept {
  return _mm512_loadu_si512(p);
}
__m256i load_256(const void* p) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// Eight entries of a grid; quad word i holds the entry with index at(i).
template <class Grid, typename At>
__m512i load_entries(const Grid& grid, At at) noexcept {
  const auto entry = [&](int i) { return static_cast<long long>(grid[at(i)]); };
  return _mm512_set_epi64(entry(7), entry(6), entry(5), entry(4), entry(3), entry(2), entry(1),
                          entry(0));
}

// Looks up entries of a grid in registers, with one 16-bit index each.
template <std::size_t kEntries>
__m512i look_up_entries(const std::array<std::uint16_t, kEntries>& grid, __m512i index) noexcept {
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

// (x | x << kBits) & mask.
template <unsigned kBits>
__m512i spread(__m512i x, __m512i mask) noexcept {
  return _mm512_ternarylogic_epi64(x, _mm512_slli_epi64(x, kBits), mask, 0xa8);
}
// The four 3-bit numbers of each of 16 words, one per byte.
__m512i spread_by_3(__m256i words) noexcept {
  __m512i x = _mm512_cvtepu16_epi32(words);
  x = spread<10>(x, _mm512_set1_epi32(0x003f003f));
  return spread<5>(x, _mm512_set1_epi32(0x07070707));
}

__m512i levels(std::uint64_t first, std::uint64_t second = 0) noexcept {
  return _mm512_broadcast_i32x4(
      _mm_set_epi64x(static_cast<long long>(second), static_cast<long long>(first)));
}

// Adds an eighth bit that makes the number of set bits of each byte even.
__m256i with_even_signs(__m256i seven) noexcept {
  __m256i x = _mm256_xor_si256(seven, _mm256_srli_epi16(seven, 4));
  x = _mm256_xor_si256(x, _mm256_srli_epi16(x, 2));
  x = _mm256_xor_si256(x, _mm256_srli_epi16(x, 1));
  x = _mm256_and_si256(x, _mm256_set1_epi8(1));
  return _mm256_or_si256(seven, _mm256_slli_epi16(x, 7));
}
// Splits the low 28 bits of each of 8 words into bytes of 7 bits plus the eighth.
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

// Copies the lowest of each four words to all four.
__m512i in_four_words(__m512i x) noexcept {
  return _mm512_shuffle_epi8(
      x, _mm512_broadcast_i32x4(_mm_set_epi64x(0x0908090809080908, 0x0100010001000100)));
}
// Widens 32 bytes to words and adds the bits of `high` that are set in `mask`.
__m512i with_low_bytes(__m512i high, std::int16_t mask, const std::byte* p) noexcept {
  return _mm512_ternarylogic_epi64(high, _mm512_set1_epi16(mask), _mm512_cvtepu8_epi16(load_256(p)),
                                   0xea);
}

// The 16-bit entry index of each 8 weights, in both blocks.
struct Indices {
  alignas(64) std::uint16_t at[2][32];

  void set(int block, __m512i index) noexcept { _mm512_store_si512(at[block], index); }
  template <class Grid>
  __m512i entries(const Grid& grid, int slice) const noexcept {
    const std::uint16_t* own = at[slice / 4] + 8 * (slice % 4);
    return load_entries(grid, [&](int i) { return own[i]; });
  }
};

// Sign masks of types that store seven signs for 8 weights, as made by even_signs().
struct EvenSigns {
  std::uint64_t negative(int slice) const noexcept { return signs[slice]; }

  alignas(64) std::uint64_t signs[8];
};

struct MagnitudesIQ2_XXS : EvenSigns {
  explicit MagnitudesIQ2_XXS(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      qs[i] = blocks[i] + offsetof(BlockIQ2_XXS, qs);
      const __m512i words = load_512(qs[i]);
      even_signs(_mm512_cvtepi64_epi32(_mm512_srli_epi64(words, 32)), signs + 4 * i);
    }
  }
  __m512i magnitudes(int slice) const noexcept {
    const std::byte* own = qs[slice / 4] + 16 * (slice % 4);
    return load_entries(
        kIq2XxsGrid, [&](int i) { return std::to_integer<std::uint8_t>(own[i / 4 * 8 + i % 4]); });
  }

  const std::byte* qs[2];
};

struct MagnitudesIQ2_XS : EvenSigns {
  explicit MagnitudesIQ2_XS(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      const __m512i qs = load_512(blocks[i] + offsetof(BlockIQ2_XS, qs));
      index.set(i, _mm512_and_si512(qs, _mm512_set1_epi16(511)));
      const __m256i seven = _mm512_cvtepi16_epi8(_mm512_srli_epi16(qs, 9));
      _mm256_store_si256(reinterpret_cast<__m256i*>(signs + 4 * i), with_even_signs(seven));
    }
  }
  __m512i magnitudes(int slice) const noexcept { return index.entries(kIq2XsGrid, slice); }

  Indices index;
};

// Sign masks of types that store all eight signs of 8 weights, starting at `at` in each block.
struct WholeSigns {
  std::uint64_t negative(int slice) const noexcept {
    return load_as<std::uint64_t>(at[slice / 4] + 8 * (slice % 4));
  }
  const std::byte* at[2];
};

struct MagnitudesIQ2_S : WholeSigns {
  explicit MagnitudesIQ2_S(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      at[i] = blocks[i] + offsetof(BlockIQ2_S, signs);
      const auto qh = load_as<std::int64_t>(blocks[i] + offsetof(BlockIQ2_S, qh));
      const __m512i four = in_four_words(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128(qh)));
      const __m512i high = _mm512_sllv_epi16(four, _mm512_set1_epi64(0x0002000400060008));
      index.set(i, with_low_bytes(high, 0x0300, blocks[i] + offsetof(BlockIQ2_S, qs)));
    }
  }
  __m512i magnitudes(int slice) const noexcept { return index.entries(kIq2SGrid, slice); }

  Indices index;
};

// The codes of IQ1 are 8 times the level, plus 2 where the shift is up.
struct EighthsIQ1 {
  static constexpr int kAbove = 9;
  __m512i codes(int slice) const noexcept {
    const __m512i grid = index.entries(kIq1Grid, slice);
    const auto own = static_cast<__mmask8>(up[slice / 4] >> 8 * (slice % 4));
    return _mm512_mask_or_epi64(grid, own, grid, _mm512_set1_epi8(2));
  }
  Indices index;
  std::uint32_t up[2];  // one bit for each 8 weights
};

struct EighthsIQ1_S : EighthsIQ1 {
  explicit EighthsIQ1_S(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      const __m128i qh = Simd::load_quarter(blocks[i] + offsetof(BlockIQ1_S, qh));
      const __m512i four = in_four_words(_mm512_cvtepu16_epi64(qh));
      // Moves bits from 3 i on to word i. The last group is shifted right by one.
      __m512i high = _mm512_sllv_epi16(four, _mm512_set1_epi64(0x0000000200050008));
      high = _mm512_mask_srli_epi16(high, 0x88888888, four, 1);
      index.set(i, with_low_bytes(high, 0x0700, blocks[i] + offsetof(BlockIQ1_S, qs)));
      up[i] = ~_mm512_movepi16_mask(four);
    }
  }
};

struct EighthsIQ1_M : EighthsIQ1 {
  explicit EighthsIQ1_M(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      const __m512i qh =
          _mm512_cvtepu8_epi32(Simd::load_quarter(blocks[i] + offsetof(BlockIQ1_M, qh)));
      const __m512i high = _mm512_or_si512(_mm512_slli_epi32(qh, 8), _mm512_slli_epi32(qh, 20));
      index.set(i, with_low_bytes(high, 0x0700, blocks[i] + offsetof(BlockIQ1_M, qs)));
      up[i] = _mm512_testn_epi16_mask(high, _mm512_set1_epi16(0x0800));
    }
  }
};

// 32 packed entries of four weights in each vector, for both blocks.
struct EntriesIQ3 {
  __m512i magnitudes(int slice, __m512i of) const noexcept {
    const __m512i own = entries[slice / 2];
    const __m256i half =
        slice % 2 == 0 ? _mm512_castsi512_si256(own) : _mm512_extracti64x4_epi64(own, 1);
    return _mm512_shuffle_epi8(of, spread_by_3(half));
  }
  __m512i entries[4];
};

struct MagnitudesIQ3_XXS : EntriesIQ3, EvenSigns {
  explicit MagnitudesIQ3_XXS(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 4; ++i) {
      const std::byte* qs = blocks[i / 2] + offsetof(BlockIQ3_XXS, qs) + 32 * (i % 2);
      entries[i] = look_up_entries(kIq3XxsPacked, _mm512_cvtepu8_epi16(load_256(qs)));
    }
    for (int i = 0; i < 2; ++i) {
      even_signs(load_256(blocks[i] + offsetof(BlockIQ3_XXS, signs)), signs + 4 * i);
    }
  }
  __m512i magnitudes(int slice) const noexcept {
    return EntriesIQ3::magnitudes(slice, levels(0x3e342c241c140c04));
  }
};

struct MagnitudesIQ3_S : EntriesIQ3, WholeSigns {
  explicit MagnitudesIQ3_S(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 4; ++i) {
      const std::byte* block = blocks[i / 2];
      const std::byte* qs = block + offsetof(BlockIQ3_S, qs) + 32 * (i % 2);
      const auto high = load_as<std::uint32_t>(block + offsetof(BlockIQ3_S, qh) + 4 * (i % 2));
      const __m512i low = _mm512_cvtepu8_epi16(load_256(qs));
      entries[i] = look_up_entries(kIq3SPacked,
                                   _mm512_mask_add_epi16(low, high, low, _mm512_set1_epi16(256)));
    }
    for (int i = 0; i < 2; ++i) at[i] = blocks[i] + offsetof(BlockIQ3_S, signs);
  }
  __m512i magnitudes(int slice) const noexcept {
    return EntriesIQ3::magnitudes(slice, levels(0x0f0d0b0907050301));
  }
};

struct GridCodes {
  using Blocks = const std::byte* const*;

  static auto rows(Of<BlockIQ2_XXS>, Blocks b) noexcept { return Signed<MagnitudesIQ2_XXS>(b); }
  static auto rows(Of<BlockIQ2_XS>, Blocks b) noexcept { return Signed<MagnitudesIQ2_XS>(b); }
  static auto rows(Of<BlockIQ2_S>, Blocks b) noexcept { return Signed<MagnitudesIQ2_S>(b); }
  static auto rows(Of<BlockIQ3_XXS>, Blocks b) noexcept { return Signed<MagnitudesIQ3_XXS>(b); }
  static auto rows(Of<BlockIQ3_S>, Blocks b) noexcept { return Signed<MagnitudesIQ3_S>(b); }
  static auto rows(Of<BlockIQ1_S>, Blocks b) noexcept { return Raised<EighthsIQ1_S>(b); }
  static auto rows(Of<BlockIQ1_M>, Blocks b) noexcept { return Raised<EighthsIQ1_M>(b); }
  static auto rows(Of<BlockTQ1_0>, Blocks b) noexcept { return Raised<DigitsTQ1_0>(b); }
};

}  // namespace
}  // namespace confab::kernels
