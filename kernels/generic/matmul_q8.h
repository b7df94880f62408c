// SPDX-License-Identifier: MIT
// Quantised weights by q8 activations, over the vocabulary S of an instruction set (its simd.h).
//
// The sum of each (row, token) runs over the blocks of 32 in order; what a block contributes is an
// exact sum of integers, scaled. One token reads rows from end to end, and so may two where nothing
// is to be unpacked; a few meet the words of several rows as they are unpacked; for more, a panel
// of rows is unpacked once and kept. The bits are the same.
#pragma once

#include <type_traits>

#include "kernels/generic/decode_q8.h"
#include "kernels/generic/few_q8.h"
#include "kernels/generic/panel_dots.h"

namespace confab::kernels::generic {

template <class S>
concept MultipliesPairs = requires {
  typename S::Pairs;
};
// Whether products of signed codes want their magnitudes.
template <class S>
concept WantsMagnitudes = requires(typename S::B x) {
  S::magnitudes(x);
};
template <class S, class Form>
using DotsOf = std::conditional_t<MultipliesPairs<S>, PairDots<S, Form>,
                                  std::conditional_t<WantsMagnitudes<S> && Form::kHasSigns,
                                                     SignedDots<S, Form>, WordDots<S, Form>>>;

template <class S, class Type>
class MatmulQ8 {
 public:
  static void run(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
                  float* y, std::int64_t y_stride) noexcept {
    const RowSlice rows{row0, n_rows};
    if (x.n_tokens == 1) return DecodeQ8<S, Type>::run(w, rows, x, y, y_stride);
    if constexpr (S::kDecodeTokens >= 2 && !Type::kPacked) {
      if (x.n_tokens == 2) return DecodeQ8<S, Type, 2>::run(w, rows, x, y, y_stride);
    }
    if (x.n_tokens == 2) return FewQ8<S, Type, 2>::run(w, rows, x, y, y_stride);
    if constexpr (S::kFewTokens >= 4) {
      if (x.n_tokens <= 4) return FewQ8<S, Type, 4>::run(w, rows, x, y, y_stride);
    }
    if constexpr (S::kFewTokens >= 8 && Type::Form::kSubs == 1 && !Type::kKeepsHighBits) {
      if (x.n_tokens <= 8) return FewQ8<S, Type, 8>::run(w, rows, x, y, y_stride);
    }
    by_panels(w, rows, x, y, y_stride);
  }

 private:
  using Form = typename Type::Form;
  using Dots = DotsOf<S, Form>;
  using Products = PanelQ8<S, Form, Dots>;
  using Columns = typename Products::P;
  using Group = RowGroup<S, Type>;
  static constexpr int kLanes = S::kLanes;

  static void by_panels(const WeightRows& w, RowSlice rows, const Activations& x, float* y,
                        std::int64_t y_stride) noexcept {
    constexpr std::int64_t kRows = Dots::kVectors * kLanes;
    Columns panel;
    panel.offset = Type::kOffset;
    for (std::int64_t r = 0; r < rows.n_rows; r += kRows) {
      const RowSlice here{rows.row0 + r, rows.n_rows - r < kRows ? rows.n_rows - r : kRows};
      for (std::int64_t c = 0; c < w.n_cols; c += 32 * Dots::kBlocks) {
        fill(w, here, c, panel);
        auto ahead = ahead_of(w, here.row0 + kRows, c, panel.n_blocks);
        Products::multiply(panel,
                           {x.data + c, meta_at(x.data, w.n_cols, c), x.row_bytes, x.n_tokens},
                           {y + r, y_stride, here.n_rows, c > 0}, ahead);
      }
    }
  }

  // What the panel of as many rows from row0 on will be filled with.
  static RowsAhead<S> ahead_of(const WeightRows& w, std::int64_t row0, std::int64_t c,
                               int n_blocks) noexcept {
    const std::byte* row = w.data + static_cast<std::size_t>(row0) * w.row_bytes;
    const auto bytes = static_cast<std::size_t>(n_blocks) * Type::chunk_bytes() / kChunkBlocks;
    return {row + static_cast<std::size_t>(c / kChunk) * Type::chunk_bytes(), w.row_bytes, bytes,
            Dots::kVectors * kLanes};
  }

  // The panel of some rows from column c on.
  static void fill(const WeightRows& w, RowSlice rows, std::int64_t c, Columns& panel) noexcept {
    for (int v = 0; v * kLanes < rows.n_rows; ++v) {
      Group g(w, rows.row0 + v * kLanes, rows.n_rows - v * kLanes);
      g.advance(c / kChunk);
      panel.n_blocks = 0;
      for (std::int64_t from = c; from < w.n_cols && panel.n_blocks < Dots::kBlocks;
           from += kChunk, g.advance(1)) {
        fill_chunk(g, g.n_blocks(from), v, panel);
      }
    }
  }

  // Adds n_blocks blocks to those that vector v of the panel has.
  static void fill_chunk(const Group& g, int n_blocks, int v, Columns& panel) noexcept {
    typename Type::Scales scales;
    Type::scales(g.rows, n_blocks, scales);
    const int first = panel.n_blocks * Form::kSubs;
    for (int s = 0; s < n_blocks * Form::kSubs; ++s) {
      panel.scale[panel.at(first + s, v)] = scales.scale[s];
      if constexpr (Form::kHasMins) panel.min[panel.at(first + s, v)] = scales.min[s];
    }
    std::byte* const words = panel.word(8 * panel.n_blocks, v);
    Type::each_block(g.rows, scales, n_blocks, [=](int b, auto word) {
      for (int k = 0; k < 8; ++k) {
        Dots::store(words + (8 * b + k) * Columns::kWordBytes, word(k));
      }
    });
    Dots::arrange(panel, panel.n_blocks, n_blocks, v);
    panel.n_blocks += n_blocks;
  }
};

}  // namespace confab::kernels::generic
