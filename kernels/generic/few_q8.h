// SPDX-License-Identifier: MIT
// Quantised weights by the q8 activations of a few tokens, over the vocabulary S of an instruction
// set: each word of a block (word_codes.h) meets all tokens when it is unpacked, and is not stored.
#pragma once

#include "kernels/generic/row_group.h"

namespace confab::kernels::generic {

template <class S, class Type, int kTokens>
class FewQ8 {
 public:
  // y[t * y_stride + r] = row r of `rows` by token t of x, of which there are at most kTokens.
  static void run(const WeightRows& w, RowSlice rows, const Activations& x, float* y,
                  std::int64_t y_stride) noexcept {
    Tokens tokens;
    for (int t = 0; t < kTokens; ++t) {
      tokens[t] = x.data + static_cast<std::size_t>(t < x.n_tokens ? t : 0) * x.row_bytes;
    }
    for (std::int64_t r = 0; r < rows.n_rows; r += S::kLanes) {
      RowGroup<S, Type> g(w, rows.row0 + r, rows.n_rows - r);
      F acc[kTokens];
      for (int t = 0; t < kTokens; ++t) acc[t] = S::zero();
      const std::byte* const next_rows = g.rows[0] + S::kLanes * w.row_bytes;
      for (std::int64_t c = 0; c < w.n_cols; c += kChunk, g.advance(1)) {
        add_chunk(g, c, tokens, acc, next_rows);
      }
      for (int t = 0; t < x.n_tokens; ++t) S::store_n(y + t * y_stride + r, g.n_rows, acc[t]);
    }
  }

 private:
  using F = typename S::F;
  using Form = typename Type::Form;
  using Tokens = const std::byte* [kTokens];
  static constexpr int kSubs = Form::kSubs;
  // What the rows of a group have of a block.
  static constexpr std::size_t kBlockBytes = Type::chunk_bytes() * S::kLanes / kChunkBlocks;

  // Meanwhile memory has to bring the next rows, which lie one after another: as much of them is
  // asked for with each block. Asked for at once, lines wait for one another, and what is needed
  // now for all of them.
  [[gnu::always_inline]] static void add_chunk(const RowGroup<S, Type>& g, std::int64_t c,
                                               const Tokens& tokens, F (&acc)[kTokens],
                                               const std::byte* next_rows) noexcept {
    const int n_blocks = g.n_blocks(c);
    typename Type::Scales scales;
    Type::scales(g.rows, n_blocks, scales);
    Type::each_block(g.rows, scales, n_blocks, [&](int b, auto word) {
      F scale[kSubs], min[kSubs];
      for (int s = 0; s < kSubs; ++s) {
        scale[s] = scales.scale[b * kSubs + s];
        if constexpr (Form::kHasMins) min[s] = scales.min[b * kSubs + s];
      }
      const std::int64_t at = c + 32 * b;
      typename Form::Sums sums[kTokens];
      for (int t = 0; t < kTokens; ++t) {
        sums[t].start_in_vectors(meta_at(tokens[t], g.n_cols, at), Type::kOffset);
      }
      const std::byte* const next = next_rows + static_cast<std::size_t>(at / 32) * kBlockBytes;
      if constexpr (MeetsFours<S>) {
        add_by_fours(word, tokens, at, sums, next);
      } else {
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
          fetch(next, k);
          const auto w = S::kept(word(k));
          for (int t = 0; t < kTokens; ++t) sums[t].add_at(k, w, tokens[t] + at + 4 * k);
        }
      }
      for (int t = 0; t < kTokens; ++t) {
        const auto x = Form::tokens(meta_at(tokens[t], g.n_cols, at));
        acc[t] = S::add(acc[t], Form::product(sums[t].dots, scale, min, x));
      }
    });
  }

  // Asks for the k-th eighth of the lines of a block.
  [[gnu::always_inline]] static void fetch(const std::byte* block, int k) noexcept {
    for (unsigned i = 64U * static_cast<unsigned>(k); i < kBlockBytes; i += 8 * 64) {
      S::prefetch_far(block + i);
    }
  }

  template <class Word>
  [[gnu::always_inline]] static void add_by_fours(Word word, const Tokens& tokens, std::int64_t at,
                                                  typename Form::Sums (&sums)[kTokens],
                                                  const std::byte* next) noexcept {
    unrolled<2>([&](auto half) __attribute__((always_inline)) {
      typename S::Four q[kTokens];
      for (int t = 0; t < kTokens; ++t) q[t] = S::load_four(tokens[t] + at + 16 * half);
      unrolled<4>([&](auto i) __attribute__((always_inline)) {
        constexpr int k = 4 * half + i;
        fetch(next, k);
        const auto w = S::kept(word(k));
        for (int t = 0; t < kTokens; ++t) sums[t].template add_of_four<k>(w, q[t]);
      });
    });
  }
};

}  // namespace confab::kernels::generic
