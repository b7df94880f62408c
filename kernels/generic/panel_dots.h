// SPDX-License-Identifier: MIT
// How a panel's codes lie in its words, and their dots with those of tokens: the Dots of
// generic/panel_q8.h. Each has the size of a panel and of a tile (kVectors of rows, kBlocks of 32
// columns, kTokens; kParts: what a word takes for each vector of rows, in vectors of bytes);
// store(), which puts a word; arrange(panel, first, n, v), which puts the words of blocks `first`
// to first + n - 1 of vector v, as word_codes.h unpacks them, in the order that add() wants; and
// add<kVectors, kTokens>(panel, x, b, sums), which adds the products of block b to
// sums[vector][token]. The integers are the same.
#pragma once

#include "kernels/generic/panel_q8.h"

namespace confab::kernels::generic {

// Word k of a block has columns 4k to 4k + 3 of each row, which one broadcast word of each token
// meets: transposing takes long and multiplying is quick, for many tokens.
template <class S, class Form>
struct WordDots {
  static constexpr int kVectors = S::kTileVectors;
  static constexpr int kTokens = S::kTileTokens;
  static constexpr int kBlocks = 4 * kChunkBlocks;
  static constexpr int kParts = 1;

  static void store(std::byte* word, typename S::B codes) noexcept { S::store_bytes(word, codes); }
  template <class P>
  static void arrange(P&, int, int, int) noexcept {}

  template <int kVectors, int kTokens, class P>
  [[gnu::always_inline]] static void add(const P& panel, const PanelTokens& x, int b,
                                         typename Form::Sums (&sums)[kVectors][kTokens]) noexcept {
    if constexpr (MeetsFours<S>) return add_by_fours(panel, x, b, sums);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      typename S::B w[kVectors];
      for (int v = 0; v < kVectors; ++v) w[v] = S::load_kept(panel.word(8 * b + k, v));
      for (int t = 0; t < kTokens; ++t) {
        const auto q = S::broadcast4(x.codes(t, b) + 4 * k);
        for (int v = 0; v < kVectors; ++v) sums[v][t].add(k, w[v], q);
      }
    }
  }

 private:
  template <int kVectors, int kTokens, class P>
  [[gnu::always_inline]] static void add_by_fours(
      const P& panel, const PanelTokens& x, int b,
      typename Form::Sums (&sums)[kVectors][kTokens]) noexcept {
    unrolled<2>([&](auto half) __attribute__((always_inline)) {
      typename S::Four q[kTokens];
      for (int t = 0; t < kTokens; ++t) q[t] = S::load_four(x.codes(t, b) + 16 * half);
      unrolled<4>([&](auto i) __attribute__((always_inline)) {
        constexpr int k = 4 * half + i;
        for (int v = 0; v < kVectors; ++v) {
          const auto w = S::load_kept(panel.word(8 * b + k, v));
          for (int t = 0; t < kTokens; ++t) sums[v][t].template add_of_four<k>(w, q[t]);
        }
      });
    });
  }
};

// Signed codes whose magnitudes lie beside them: finding these for each tile takes longer than
// loading them.
template <class S, class Form>
struct SignedDots {
  static constexpr int kVectors = S::kTileVectors;
  static constexpr int kTokens = S::kTileTokens;
  static constexpr int kBlocks = 2 * kChunkBlocks;
  static constexpr int kParts = 2;

  static void store(std::byte* word, typename S::B codes) noexcept {
    S::store_bytes(word, S::magnitudes(codes));
    S::store_bytes(word + sizeof codes, codes);
  }
  template <class P>
  static void arrange(P&, int, int, int) noexcept {}

  template <int kVectors, int kTokens, class P>
  [[gnu::always_inline]] static void add(const P& panel, const PanelTokens& x, int b,
                                         typename Form::Sums (&sums)[kVectors][kTokens]) noexcept {
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      typename S::B q[kTokens];
      for (int t = 0; t < kTokens; ++t) q[t] = S::broadcast4(x.codes(t, b) + 4 * k);
      for (int v = 0; v < kVectors; ++v) {
        const std::byte* word = panel.word(8 * b + k, v);
        const auto magnitudes = S::load_kept(word), codes = S::load_bytes(word + sizeof magnitudes);
        for (int t = 0; t < kTokens; ++t) sums[v][t].add_signed(k, magnitudes, codes, q[t]);
      }
    }
  }
};

// With S::Pairs, the sums of all rows for two tokens: words 2k and 2k + 1 have columns 8k to 8k + 7
// of the lower and the upper half of the rows, as S::pair_words() orders them, and
// S::multiply_pairs() adds their products with eight columns of two tokens.
template <class S, class Form>
struct PairDots {
  static constexpr int kVectors = S::kTileVectors;
  static constexpr int kTokens = S::kTileTokens;
  static constexpr int kBlocks = 4 * kChunkBlocks;
  static constexpr int kParts = 1;

  static void store(std::byte* word, typename S::B codes) noexcept { S::store_bytes(word, codes); }
  template <class P>
  static void arrange(P& panel, int first, int n, int v) noexcept {
    for (int k = 8 * first; k < 8 * (first + n); k += 2) {
      auto lower = S::load_bytes(panel.word(k, v)), upper = S::load_bytes(panel.word(k + 1, v));
      S::pair_words(lower, upper);
      S::store_bytes(panel.word(k, v), lower);
      S::store_bytes(panel.word(k + 1, v), upper);
    }
  }

  // An odd last token is its own partner.
  template <int kVectors, int kTokens, class P>
  [[gnu::always_inline]] static void add(const P& panel, const PanelTokens& x, int b,
                                         typename Form::Sums (&sums)[kVectors][kTokens]) noexcept {
    constexpr int kPairs = (kTokens + 1) / 2, kSteps = 4 / Form::kSubs;
    const auto partner = [](int p) { return 2 * p + 1 < kTokens ? 2 * p + 1 : 2 * p; };
#pragma GCC unroll 2
    for (int s = 0; s < Form::kSubs; ++s) {
      typename S::Pairs pairs[kVectors][kPairs];
      for (int v = 0; v < kVectors; ++v) {
        for (int p = 0; p < kPairs; ++p)
          pairs[v][p] = S::join(sums[v][2 * p].dots[s], sums[v][partner(p)].dots[s]);
      }
#pragma GCC unroll 4
      for (int k = s * kSteps; k < (s + 1) * kSteps; ++k) {
        for (int p = 0; p < kPairs; ++p) {
          const auto pair = S::load_pair(x.codes(2 * p, b) + 8 * k, x.codes(partner(p), b) + 8 * k);
          for (int v = 0; v < kVectors; ++v) {
            const auto lower = S::load_bytes(panel.word(8 * b + 2 * k, v));
            const auto upper = S::load_bytes(panel.word(8 * b + 2 * k + 1, v));
            pairs[v][p] = S::multiply_pairs(pairs[v][p], lower, upper, pair);
          }
        }
      }
      for (int v = 0; v < kVectors; ++v) {
        for (int p = 0; p < kPairs; ++p) {
          sums[v][partner(p)].dots[s] = S::second_of(pairs[v][p]);
          sums[v][2 * p].dots[s] = S::first_of(pairs[v][p]);
        }
      }
    }
  }
};

}  // namespace confab::kernels::generic
