// SPDX-License-Identifier: MIT
// Codes of S::kLanes rows as the words of a panel (panel_q8.h): lane r of word k of a block holds
// columns 4k to 4k + 3 of row r. WordCodes<S, Block>::each(rows, n_blocks, use) calls use(b, word)
// for the first n_blocks blocks of 32, in order, of the chunk of 256 that starts at rows[r].
// word(k), for k < 8, unpacks one word; call it once per word.
//
// Bytes are transposed while still packed, and unpacked afterwards. All bytes of a vector then need
// the same shifts and masks, and only a half or a quarter of the data has to be moved.
#pragma once

#include <utility>

#include "kernels/block.h"
#include "kernels/block_iq.h"
#include "kernels/generic/lane_scales.h"

namespace confab::kernels::generic {

// Extracts kBits bits from bit kFrom of each byte and places them at bit kTo.
template <class S, int kFrom, int kBits, int kTo = 0>
static typename S::I field(typename S::I x) noexcept {
  constexpr std::uint32_t kMask = ((1U << kBits) - 1U) << kTo;
  if constexpr (kFrom > kTo) x = S::template shift_right<kFrom - kTo>(x);
  if constexpr (kFrom < kTo) x = S::template shift_left<kTo - kFrom>(x);
  return S::and_(x, S::set1_i(kMask * 0x01010101U));
}

// `low` with field() of x added to its bits. An instruction set may instead select bits from the
// two.
template <class S, int kFrom, int kBits, int kTo>
static typename S::I with_field(typename S::I low, typename S::I x) noexcept {
  if constexpr (requires { S::template choose<0U>(x, low); }) {
    constexpr std::uint32_t kMask = ((1U << kBits) - 1U) << kTo;
    if constexpr (kFrom > kTo) x = S::template shift_right<kFrom - kTo>(x);
    if constexpr (kFrom < kTo) x = S::template shift_left<kTo - kFrom>(x);
    return S::template choose<kMask * 0x01010101U>(x, low);
  } else {
    return S::or_(low, field<S, kFrom, kBits, kTo>(x));
  }
}

// Words 0 to 7 of the 32 bytes at rows[r] + offset.
template <class S>
[[gnu::always_inline]] static inline void gather_32(const std::byte* const rows[],
                                                    std::size_t offset,
                                                    typename S::I out[8]) noexcept {
  S::gather_words(rows, offset, out);
  S::gather_words(rows, offset + 16, out + 4);
}

// Calls call(i) with an integral constant for each i < n.
template <int n, class Call>
[[gnu::always_inline]] static inline void unrolled(Call call) noexcept {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (call(std::integral_constant<int, i>()), ...);
  }
  (std::make_integer_sequence<int, n>());
}

template <class S, class Block>
struct WordCodes;

template <class S>
struct WordCodes<S, BlockQ8_0> {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int n_blocks,
                                          Use use) noexcept {
    for (int b = 0; b < n_blocks; ++b) {
      typename S::I w[8];
      gather_32<S>(rows, static_cast<unsigned>(b) * sizeof(BlockQ8_0) + offsetof(BlockQ8_0, qs), w);
      use(b, [&](int k) { return w[k]; });
    }
  }
};

// Blocks of sixteen bytes, the first at kFirst and then kStride apart. Low halves are codes 0 to
// 15, high halves are the others.
template <class S, std::size_t kFirst, std::size_t kStride>
struct WordsOf4Bits {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int n_blocks,
                                          Use use) noexcept {
    for (int b = 0; b < n_blocks; ++b) {
      typename S::I w[4];
      S::gather_words(rows, kFirst + static_cast<unsigned>(b) * kStride, w);
      use(b, [&](int k) { return k < 4 ? field<S, 0, 4>(w[k]) : field<S, 4, 4>(w[k - 4]); });
    }
  }
};
template <class S, class Block>
using WordsOfHalves = WordsOf4Bits<S, offsetof(Block, qs), sizeof(Block)>;
template <class S>
struct WordCodes<S, BlockQ4_0> : WordsOfHalves<S, BlockQ4_0> {};
template <class S>
struct WordCodes<S, BlockQ4_1> : WordsOfHalves<S, BlockQ4_1> {};

// The same with fifth bits, which are all in the word qh.
template <class S, class Block>
struct WordsOf5Bits {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int n_blocks,
                                          Use use) noexcept {
    using I = typename S::I;
    for (int b = 0; b < n_blocks; ++b) {
      const std::size_t at = static_cast<unsigned>(b) * sizeof(Block);
      I w[4], high[4];
      S::gather_words(rows, at + offsetof(Block, qs), w);
      S::gather_words(rows, at + offsetof(Block, qh), high);
      use(b, [&](int k) {
        const I low = k < 4 ? field<S, 0, 4>(w[k]) : field<S, 4, 4>(w[k - 4]);
        return S::or_(low, fifth_bits(high[0], k));
      });
    }
  }

 private:
  // Bits 4k to 4k + 3 of each lane, moved to bit 4 of its bytes.
  static typename S::I fifth_bits(typename S::I x, int k) noexcept {
    const auto four = S::and_(S::shift_right(x, 4 * k), S::set1_i(15));
    const auto two = S::and_(S::or_(four, S::template shift_left<14>(four)), S::set1_i(0x00030003));
    const auto one = S::or_(S::template shift_left<4>(two), S::template shift_left<11>(two));
    return S::and_(one, S::set1_i(0x10101010));
  }
};
template <class S>
struct WordCodes<S, BlockQ5_0> : WordsOf5Bits<S, BlockQ5_0> {};
template <class S>
struct WordCodes<S, BlockQ5_1> : WordsOf5Bits<S, BlockQ5_1> {};

// Codes that are looked up in a table.
template <class S, class Packed, const std::int8_t* kValues>
struct LookedUpWords {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int n_blocks,
                                          Use use) noexcept {
    Packed::each(rows, n_blocks, [&](int b, auto word) {
      use(b, [&](int k) { return S::look_up(kValues, word(k)); });
    });
  }
};
template <class S>
struct WordCodes<S, BlockIQ4_NL> : LookedUpWords<S, WordsOfHalves<S, BlockIQ4_NL>, kIq4Values> {};
template <class S>
struct WordCodes<S, BlockMXFP4> : LookedUpWords<S, WordsOfHalves<S, BlockMXFP4>, kE2M1Raised> {};

template <class S>
struct WordCodes<S, BlockIQ4_XS>
    : LookedUpWords<S, WordsOf4Bits<S, offsetof(BlockIQ4_XS, qs), 16>, kIq4Values> {};

template <class S>
struct WordCodes<S, BlockQ4_K> {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int, Use use) noexcept {
    for (int i = 0; i < 4; ++i) {
      typename S::I w[8];
      gather_32<S>(rows, offsetof(BlockQ4_K, qs) + 32 * static_cast<unsigned>(i), w);
      use(2 * i, [&](int k) { return field<S, 0, 4>(w[k]); });
      use(2 * i + 1, [&](int k) { return field<S, 4, 4>(w[k]); });
    }
  }
};

template <class S>
struct WordCodes<S, BlockQ5_K> {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int, Use use) noexcept {
    typename S::I high[8];
    gather_32<S>(rows, offsetof(BlockQ5_K, qh), high);
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
      typename S::I w[8];
      gather_32<S>(rows, offsetof(BlockQ5_K, qs) + 32 * static_cast<unsigned>(i), w);
      use(2 * i, [&](int k) { return with_field<S, 2 * i, 1, 4>(field<S, 0, 4>(w[k]), high[k]); });
      use(2 * i + 1,
          [&](int k) { return with_field<S, 2 * i + 1, 1, 4>(field<S, 4, 4>(w[k]), high[k]); });
    });
  }
};

template <class S>
struct WordCodes<S, BlockQ6_K> {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int, Use use) noexcept {
    for (int half = 0; half < 2; ++half) {
      typename S::I high[8];
      gather_32<S>(rows, offsetof(BlockQ6_K, qh) + 32 * static_cast<unsigned>(half), high);
      typename S::I w[16];
      for (int i = 0; i < 2; ++i) {
        gather_32<S>(rows, offsetof(BlockQ6_K, ql) + static_cast<unsigned>(64 * half + 32 * i),
                     w + 8 * i);
      }
      unrolled<4>([&](auto c) __attribute__((always_inline)) {
        use(4 * half + c, [&](int k) {
          const auto low = field < S, c < 2 ? 0 : 4, 4 > (w[c % 2 * 8 + k]);
          return with_field<S, 2 * c, 2, 4>(low, high[k]);
        });
      });
    }
  }
};

// Codes with two bits at bits 2c and 2c + 1 of bytes, 128 codes per 32 bytes.
template <class S, class Block>
struct WordsOf2Bits {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int, Use use) noexcept {
    for (int half = 0; half < 2; ++half) {
      typename S::I w[8];
      gather_32<S>(rows, offsetof(Block, qs) + 32 * static_cast<unsigned>(half), w);
      unrolled<4>(
          [&](auto c) { use(4 * half + c, [&](int k) { return field<S, 2 * c, 2>(w[k]); }); });
    }
  }
};
template <class S>
struct WordCodes<S, BlockQ2_K> : WordsOf2Bits<S, BlockQ2_K> {};
template <class S>
struct WordCodes<S, BlockTQ2_0> : WordsOf2Bits<S, BlockTQ2_0> {};

template <class S>
struct WordCodes<S, BlockQ3_K> {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int, Use use) noexcept {
    typename S::I high[8];
    gather_32<S>(rows, offsetof(BlockQ3_K, hmask), high);
    unrolled<2>([&](auto half) __attribute__((always_inline)) {
      typename S::I w[8];
      gather_32<S>(rows, offsetof(BlockQ3_K, qs) + 32 * static_cast<unsigned>(half), w);
      unrolled<4>([&](auto c) __attribute__((always_inline)) {
        use(4 * half + c, [&](int k) {
          return with_field<S, 4 * half + c, 1, 2>(field<S, 2 * c, 2>(w[k]), high[k]);
        });
      });
    });
  }
};

// For codes that are unpacked in the order of their row by one of the Codes of codes.h.
template <class S, class Codes>
struct TransposedWords {
  template <class Use>
  [[gnu::always_inline]] static void each(const std::byte* const rows[], int n_blocks,
                                          Use use) noexcept {
    constexpr int kBlocks = S::kLanes / 8;  // per vector
    for (int b = 0; b < n_blocks; b += kBlocks) {
      const bool half = b + kBlocks > n_blocks;
      typename S::I w[S::kLanes];
      for (int r = 0; r < S::kLanes; ++r) w[r] = slice_of(rows[r], b / kBlocks, half);
      S::transpose(w);
      for (int i = 0; i < (half ? 1 : kBlocks); ++i) {
        use(b + i, [&](int k) { return w[8 * i + k]; });
      }
    }
  }

 private:
  static typename S::I slice_of(const std::byte* row, int slice, bool half) noexcept {
    if constexpr (S::kLanes > 8) {
      if (half) return Codes::low_codes(row, slice);
    }
    return Codes::codes(row, slice);
  }
};

}  // namespace confab::kernels::generic
