// SPDX-License-Identifier: MIT
// Quantised weights by q8 activations, over the vocabulary S of an instruction set (its simd.h).
//
// The sum of each (row, token) runs over the blocks of 32 in order; what a block contributes is an
// exact sum of integers, scaled. With one token, rows are read from end to end; with several, a
// panel of the rows is unpacked and transposed once, and its words meet one broadcast word of each
// token. The bits are the same.
#pragma once

#include "kernels/generic/decode_q8.h"
#include "kernels/generic/panel_q8.h"

namespace confab::kernels::generic {

constexpr int kPanelMinTokens = 2;  // from here on transposing pays

template <class S, class Type>
class MatmulQ8 {
 public:
  static void run(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
                  float* y, std::int64_t y_stride) noexcept {
    if (x.n_tokens >= kPanelMinTokens) {
      many_tokens(w, {row0, n_rows}, x, y, y_stride);
      return;
    }
    for (int t = 0; t < x.n_tokens; ++t) {
      DecodeQ8<S, Type>::run(w, {row0, n_rows}, x.data + static_cast<std::size_t>(t) * x.row_bytes,
                             y + t * y_stride);
    }
  }

 private:
  using F = typename S::F;
  using I = typename S::I;
  using Form = typename Type::Form;
  using Scales = typename Type::Scales;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kSubs = Form::kSubs;
  static constexpr int kVectorBytes = static_cast<int>(sizeof(typename S::B));
  static constexpr int kBlocksPerVector = kVectorBytes / 32;
  static constexpr int kSlices = kChunk / kVectorBytes;

  // Rows that are computed together, at most n. Past the last, it is taken again.
  struct Group {
    Group(const WeightRows& w, std::int64_t row0, std::int64_t n) noexcept
        : n_rows(n < kLanes ? n : kLanes), n_cols(w.n_cols) {
      for (int r = 0; r < kLanes; ++r) {
        const std::int64_t row = row0 + (r < n ? r : n - 1);
        rows[r] = w.data + static_cast<std::size_t>(row) * w.row_bytes;
      }
    }
    void advance(std::size_t bytes) noexcept {
      for (const std::byte*& row : rows) row += bytes;
    }
    const std::byte* rows[kLanes];
    std::int64_t n_rows, n_cols;
  };

  static int chunk_blocks(std::int64_t n_cols, std::int64_t c) noexcept {
    return n_cols - c < kChunk ? static_cast<int>(n_cols - c) / 32 : kChunkBlocks;
  }
  static const std::byte* meta_at(const std::byte* act, std::int64_t n_cols,
                                  std::int64_t c) noexcept {
    return act + n_cols + c / 32 * static_cast<std::int64_t>(sizeof(Q8Meta));
  }

  static typename S::B load_codes(const std::byte* chunk, int slice, bool half) noexcept {
    if constexpr (kBlocksPerVector == 2 && Type::kAnyBlocks) {
      if (half) return Type::low_codes(chunk, slice);
    }
    return Type::codes(chunk, slice);
  }

  static void many_tokens(const WeightRows& w, RowSlice rows, const Activations& x, float* y,
                          std::int64_t y_stride) noexcept {
    using Columns = Panel<S, Form>;
    constexpr std::int64_t kRows = Columns::kVectors * kLanes;
    Columns panel;
    panel.offset = Type::kOffset;
    for (std::int64_t r = 0; r < rows.n_rows; r += kRows) {
      const RowSlice here{rows.row0 + r, rows.n_rows - r < kRows ? rows.n_rows - r : kRows};
      for (std::int64_t c = 0; c < w.n_cols; c += 32 * kPanelBlocks) {
        fill(w, here, c, panel);
        PanelQ8<S, Form>::multiply(
            panel, {x.data + c, meta_at(x.data, w.n_cols, c), x.row_bytes, x.n_tokens},
            {y + r, y_stride, here.n_rows, c > 0});
      }
    }
  }

  // The panel of some rows from column c on.
  static void fill(const WeightRows& w, RowSlice rows, std::int64_t c,
                   Panel<S, Form>& panel) noexcept {
    for (int v = 0; v * kLanes < rows.n_rows; ++v) {
      Group g{w, rows.row0 + v * kLanes, rows.n_rows - v * kLanes};
      g.advance(static_cast<std::size_t>(c / kChunk) * Type::chunk_bytes());
      panel.n_blocks = 0;
      for (std::int64_t from = c; from < w.n_cols && panel.n_blocks < kPanelBlocks;
           from += kChunk, g.advance(Type::chunk_bytes())) {
        const int n_blocks = chunk_blocks(w.n_cols, from);
        fill_chunk(g, n_blocks, v, panel);
        panel.n_blocks += n_blocks;
      }
    }
  }

  // Adds n_blocks blocks to those that vector v of the panel has.
  static void fill_chunk(const Group& g, int n_blocks, int v, Panel<S, Form>& panel) noexcept {
    Scales scales;
    Type::scales(g.rows, n_blocks, scales);
    const int first = panel.n_blocks * kSubs;
    for (int s = 0; s < n_blocks * kSubs; ++s) {
      panel.scale[panel.at(first + s, v)] = scales.scale[s];
      if constexpr (Form::kHasMins) panel.min[panel.at(first + s, v)] = scales.min[s];
    }
    for (int slice = 0; slice * kBlocksPerVector < n_blocks; ++slice) {
      const bool half = (slice + 1) * kBlocksPerVector > n_blocks;
      I words[kLanes];
      for (int r = 0; r < kLanes; ++r) {
        words[r] = load_codes(Type::chunk(scales, g.rows[r], r), slice, half);
      }
      to_words<S>(words);
      const int word = 8 * panel.n_blocks + slice * kLanes;
      for (int k = 0; k < (half ? kLanes / kBlocksPerVector : kLanes); ++k) {
        S::store_bytes(panel.word(word + k, v), words[k]);
      }
    }
  }
};

}  // namespace confab::kernels::generic
