// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/avx512/codes.h"
#include "kernels/avx512/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {
namespace {

// Codes of IQ2 and IQ3 with AVX512_VBMI, which permutes and shifts bytes. Other codes are those of
// codes.h. VBMI instructions are written by name, so that only they need VBMI.
//
// 64 entries of a grid are looked up at once, low and high bytes separately, 128 per permutation.
// The two bytes of each entry then move to the place of its weights, the bits of each weight to the
// lowest bits of its own byte, and the bytes are replaced by levels. The table of 64 levels
// contains enough copies that higher bits need not be cleared.

// Byte i is the byte of the table that the lowest six bits of byte i of `index` select.
__m512i permute_bytes(__m512i index, __m512i table) noexcept {
  __m512i out;
  asm("vpermb %2, %1, %0" : "=v"(out) : "v"(index), "vm"(table));
  return out;
}
// The same with seven bits and two tables.
__m512i permute_bytes(__m512i index, __m512i first, __m512i second) noexcept {
  asm("vpermi2b %2, %1, %0" : "+v"(index) : "v"(first), "vm"(second));
  return index;
}
// The same where the mask is set, and the index elsewhere.
__m512i permute_bytes(__m512i index, __mmask64 mask, __m512i first, __m512i second) noexcept {
  asm("vpermi2b %2, %1, %0%{%3%}" : "+v"(index) : "v"(first), "vm"(second), "Yk"(mask));
  return index;
}
// Byte i is 8 bits of its quad word, starting at the bit that byte i of `from` gives.
__m512i shift_bytes(__m512i x, __m512i from) noexcept {
  __m512i out;
  asm("vpmultishiftqb %2, %1, %0" : "=v"(out) : "v"(from), "vm"(x));
  return out;
}

struct alignas(64) Bytes {
  std::uint8_t at[64];
};
__m512i load_512(const Bytes& bytes) noexcept {
  return _mm512_load_si512(bytes.at);
}

// The numbers 0 to 127, each with an eighth bit that makes the number of set bits even.
constexpr std::array<Bytes, 2> kEvenSigns = [] {
  std::array<Bytes, 2> signs{};
  for (unsigned i = 0; i < 128; ++i) {
    const unsigned odd = (i ^ i >> 1 ^ i >> 2 ^ i >> 3 ^ i >> 4 ^ i >> 5 ^ i >> 6) & 1U;
    signs[i / 64].at[i % 64] = static_cast<std::uint8_t>(i | odd << 7);
  }
  return signs;
}();

// Stores sign masks for bytes that hold seven bits.
void even_signs_of(__m512i seven, std::uint64_t signs[8]) noexcept {
  _mm512_store_si512(signs, permute_bytes(seven, load_512(kEvenSigns[0]), load_512(kEvenSigns[1])));
}
// Splits the low 28 bits of each of 16 words into bytes of 7 bits.
__m512i sevens(__m512i words) noexcept {
  return shift_bytes(words, _mm512_set1_epi64(0x352e2720150e0700));
}

// 64 entries as low and high bytes. Their indices are in `index` and, from bit 8 on, in
// `high_index`.
struct PackedEntries {
  template <std::size_t kEntries>
  void look_up(const GridBytes<kEntries>& grid, __m512i index, __m512i high_index) noexcept {
    const __m512i top = _mm512_ternarylogic_epi64(index, _mm512_set1_epi8(-128), high_index, 0xea);
    low = high = index;
    for (unsigned i = 0; i < kEntries / 128; ++i) {
      const auto own = static_cast<char>(i >> 1 | i << 7);  // of bits 7, 8 and 9
      const __mmask64 here = _mm512_cmpeq_epi8_mask(top, _mm512_set1_epi8(own));
      const std::uint8_t* lows = grid.low.data() + 128 * i;
      const std::uint8_t* highs = grid.high.data() + 128 * i;
      low = permute_bytes(low, here, load_512(lows), load_512(lows + 64));
      high = permute_bytes(high, here, load_512(highs), load_512(highs + 64));
    }
  }
  // Moves entries to quad words, kEach to each quad word of slice `slice`.
  template <unsigned kEach>
  __m512i in_quads(int slice) const noexcept {
    static constexpr auto kSources = [] {
      std::array<Bytes, 8 / kEach> sources{};
      for (unsigned entry = 0; entry < 64; ++entry) {
        const unsigned of_slice = entry % (8 * kEach);
        std::uint8_t* at = sources[entry / (8 * kEach)].at + of_slice / kEach * 8;
        at[of_slice % kEach * 2] = static_cast<std::uint8_t>(entry);
        at[of_slice % kEach * 2 + 1] = static_cast<std::uint8_t>(entry + 64);
      }
      return sources;
    }();
    return permute_bytes(load_512(kSources[slice]), low, high);
  }

  __m512i low, high;
};

// A table of 64 with copies of 4 or 8 levels.
__m512i copies_of(std::uint64_t of_8) noexcept {
  return _mm512_set1_epi64(static_cast<long long>(of_8));
}

// Two blocks with 32 entries of eight weights each.
struct MagnitudesOf2Bits {
  __m512i magnitudes(int slice) const noexcept {
    const __m512i from = _mm512_set1_epi64(0x0e0c0a0806040200);
    const __m512i of = copies_of(0x002b1908002b1908);  // 8, 25, 43
    return permute_bytes(shift_bytes(entries.in_quads<1>(slice), from), of);
  }
  PackedEntries entries;
};

struct BytesIQ2_XXS : MagnitudesOf2Bits, EvenSigns {
  explicit BytesIQ2_XXS(const std::byte* const blocks[2]) noexcept {
    const __m512i first = load_512(blocks[0] + offsetof(BlockIQ2_XXS, qs));
    const __m512i second = load_512(blocks[1] + offsetof(BlockIQ2_XXS, qs));
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    even_signs_of(sevens(_mm512_permutex2var_epi32(first, odd, second)), signs);
    entries.look_up(kIq2XxsBytes, _mm512_permutex2var_epi32(first, even, second),
                    _mm512_setzero_si512());
  }
};

struct BytesIQ2_XS : MagnitudesOf2Bits, EvenSigns {
  explicit BytesIQ2_XS(const std::byte* const blocks[2]) noexcept {
    static constexpr auto kEven = [] {
      Bytes even{};
      for (unsigned i = 0; i < 64; ++i) even.at[i] = static_cast<std::uint8_t>(2 * i);
      return even;
    }();
    const __m512i even = load_512(kEven), odd = _mm512_or_si512(even, _mm512_set1_epi8(1));
    const __m512i first = load_512(blocks[0] + offsetof(BlockIQ2_XS, qs));
    const __m512i second = load_512(blocks[1] + offsetof(BlockIQ2_XS, qs));
    const __m512i high = permute_bytes(odd, first, second);
    even_signs_of(_mm512_srli_epi16(high, 1), signs);
    entries.look_up(kIq2XsBytes, permute_bytes(even, first, second),
                    _mm512_and_si512(high, _mm512_set1_epi8(1)));
  }
};

struct BytesIQ2_S : MagnitudesOf2Bits, WholeSigns {
  explicit BytesIQ2_S(const std::byte* const blocks[2]) noexcept
      : WholeSigns{
            {blocks[0] + offsetof(BlockIQ2_S, signs), blocks[1] + offsetof(BlockIQ2_S, signs)}} {
    const auto qh = [&](int i) {
      return load_as<std::int64_t>(blocks[i] + offsetof(BlockIQ2_S, qh));
    };
    const __m512i words = _mm512_cvtepu16_epi64(_mm_set_epi64x(qh(1), qh(0)));
    const __m512i high = shift_bytes(words, _mm512_set1_epi64(0x0e0c0a0806040200));
    const __m256i low = load_256(blocks[0] + offsetof(BlockIQ2_S, qs));
    const __m256i low_of_second = load_256(blocks[1] + offsetof(BlockIQ2_S, qs));
    entries.look_up(kIq2SBytes, _mm512_inserti64x4(_mm512_castsi256_si512(low), low_of_second, 1),
                    _mm512_and_si512(high, _mm512_set1_epi8(3)));
  }
};

// Two blocks with 64 entries of four weights each.
struct MagnitudesOf3Bits {
  __m512i magnitudes(int slice, std::uint64_t of_8) const noexcept {
    const __m512i from = _mm512_set1_epi64(0x1916131009060300);
    const __m512i quads = entries[slice / 4].in_quads<2>(slice % 4);
    return permute_bytes(shift_bytes(quads, from), copies_of(of_8));
  }
  PackedEntries entries[2];
};

struct BytesIQ3_XXS : MagnitudesOf3Bits, EvenSigns {
  explicit BytesIQ3_XXS(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      entries[i].look_up(kIq3XxsBytes, load_512(blocks[i] + offsetof(BlockIQ3_XXS, qs)),
                         _mm512_setzero_si512());
    }
    const __m256i first = load_256(blocks[0] + offsetof(BlockIQ3_XXS, signs));
    const __m256i second = load_256(blocks[1] + offsetof(BlockIQ3_XXS, signs));
    even_signs_of(sevens(_mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1)), signs);
  }
  __m512i magnitudes(int slice) const noexcept {
    return MagnitudesOf3Bits::magnitudes(slice, 0x3e342c241c140c04);
  }
};

struct BytesIQ3_S : MagnitudesOf3Bits, WholeSigns {
  explicit BytesIQ3_S(const std::byte* const blocks[2]) noexcept
      : WholeSigns{
            {blocks[0] + offsetof(BlockIQ3_S, signs), blocks[1] + offsetof(BlockIQ3_S, signs)}} {
    for (int i = 0; i < 2; ++i) {
      const auto high = load_as<std::uint64_t>(blocks[i] + offsetof(BlockIQ3_S, qh));
      entries[i].look_up(kIq3SBytes, load_512(blocks[i] + offsetof(BlockIQ3_S, qs)),
                         _mm512_maskz_set1_epi8(high, 1));
    }
  }
  __m512i magnitudes(int slice) const noexcept {
    return MagnitudesOf3Bits::magnitudes(slice, 0x0f0d0b0907050301);
  }
};

struct VbmiCodes : WideCodes {
  using WideCodes::rows;

  static auto rows(Of<BlockIQ2_XXS>, Blocks b) noexcept { return Signed<BytesIQ2_XXS>(b); }
  static auto rows(Of<BlockIQ2_XS>, Blocks b) noexcept { return Signed<BytesIQ2_XS>(b); }
  static auto rows(Of<BlockIQ2_S>, Blocks b) noexcept { return Signed<BytesIQ2_S>(b); }
  static auto rows(Of<BlockIQ3_XXS>, Blocks b) noexcept { return Signed<BytesIQ3_XXS>(b); }
  static auto rows(Of<BlockIQ3_S>, Blocks b) noexcept { return Signed<BytesIQ3_S>(b); }
};

void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
            float* y, std::int64_t y_stride) noexcept {
  const auto run = x.format == ActFormat::bf16
                       ? generic::MatmulFloat<Bf16Simd, generic::Rows<Simd>>::run
                       : generic::Table<Simd, VbmiCodes>::matmul;
  run(w, row0, n_rows, x, y, y_stride);
}

// The AVX-512 table with other functions for attention, and for BF16, IQ2 and IQ3 weights.
constexpr KernelTable with_bf16() noexcept {
  using Attention = generic::Attention<Bf16Simd, WideCodes>;
  KernelTable table = generic::Table<Simd, WideCodes>::make(Isa::avx512_bf16);
  table.matmul = matmul;
  table.attention = Attention::run;
  table.attention_partial = Attention::run_partial;
  table.attention_join = Attention::join;
  return table;
}

}  // namespace

constinit const KernelTable kAvx512Table = generic::Table<Simd, WideCodes>::make(Isa::avx512);
constinit const KernelTable kAvx512Bf16Table = with_bf16();

}  // namespace confab::kernels
