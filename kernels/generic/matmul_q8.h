// SPDX-License-Identifier: MIT
// Quantised weights by q8 activations, over the vocabulary S of an instruction set (its simd.h).
//
// The lanes of a vector are rows: a group of S::kLanes rows is computed at once, and the sum of
// each (row, token) runs over the blocks of 32 in order, one fused multiply-add a block on top of
// an exact sum of integers. Two kernels make those integers: with few tokens, dots along the rows
// are added up across lanes; with many, a panel of the rows is unpacked and transposed once, and
// its words meet one broadcast word of each token. The bits are the same.
#pragma once

#include "kernels/generic/weight_types.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

constexpr int kPanelMinTokens = 4;  // from here on transposing pays
constexpr int kTokenTile = 64;      // tokens that use a panel before the next is unpacked

template <class S, class Type>
class MatmulQ8 {
 public:
  explicit MatmulQ8(Type type) noexcept : type_(type) {}

  void run(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
           float* y, std::int64_t y_stride) const noexcept {
    for (int t0 = 0; t0 < x.n_tokens; t0 += kTokenTile) {
      const int n_tokens = x.n_tokens - t0 < kTokenTile ? x.n_tokens - t0 : kTokenTile;
      const std::byte* acts = x.data + static_cast<std::size_t>(t0) * x.row_bytes;
      for (std::int64_t r = 0; r < n_rows; r += kLanes) {
        const Group g{w, row0 + r, n_rows - r < kLanes ? n_rows - r : kLanes};
        float* out = y + t0 * y_stride + r;
        if (n_tokens >= kPanelMinTokens) {
          many_tokens(g, acts, x.row_bytes, n_tokens, out, y_stride);
        } else {
          for (int t = 0; t < n_tokens; ++t) {
            one_token(g, acts + static_cast<std::size_t>(t) * x.row_bytes, out + t * y_stride,
                      r + kLanes < n_rows ? w.row_bytes * kLanes : 0);
          }
        }
      }
    }
  }

 private:
  using F = typename S::F;
  using I = typename S::I;
  using Scales = typename Type::Scales;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kVectorBytes = static_cast<int>(sizeof(typename S::B));
  static constexpr int kBlocksPerVector = kVectorBytes / 32;
  static constexpr int kPieces = kChunk / kVectorBytes;
  static constexpr int kSubs = 32 / Type::kSub;  // dots of a block of 32

  // Rows that are computed together. Past the last, it is taken again.
  struct Group {
    Group(const WeightRows& w, std::int64_t row0, std::int64_t n) noexcept
        : n_rows(n), n_cols(w.n_cols) {
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

  static typename S::B load_codes(const std::byte* chunk, int piece, bool half) noexcept {
    if constexpr (kBlocksPerVector == 2 && Type::kAnyBlocks) {
      if (half) return Type::low_codes(chunk, piece);
    }
    return Type::codes(chunk, piece);
  }

  // The rows of a group lie one after another, too many streams for the processor to foresee; so
  // each step asks for its share of the next group, `ahead` bytes from this (0: there is none).
  void one_token(Group g, const std::byte* act, float* y, std::size_t ahead) const noexcept {
    F acc = S::zero();
    const std::byte* next = g.rows[0] + ahead;
    const std::size_t step = kLanes * type_.chunk_bytes() / kPieces;
    Scales scales;
    for (std::int64_t c = 0; c < g.n_cols; c += kChunk, g.advance(type_.chunk_bytes())) {
      const int n_blocks = chunk_blocks(g.n_cols, c);
      const std::byte* meta = meta_at(act, g.n_cols, c);
      type_.scales(g.rows, n_blocks, scales);
      for (int piece = 0; piece * kBlocksPerVector < n_blocks; ++piece) {
        const int first = piece * kBlocksPerVector;
        const bool half = first + kBlocksPerVector > n_blocks;
        const std::byte* q = act + c + piece * kVectorBytes;
        const auto x = half ? S::load_low_block(q) : S::load_bytes(q);
        I rows[kLanes], dots[kBlocksPerVector * kSubs];
        if (ahead != 0) {
          for (std::size_t i = 0; i < step; i += 64) S::prefetch(next + i);
          next += step;
        }
        for (int r = 0; r < kLanes; ++r) {
          const std::byte* chunk = type_.chunk(scales, g.rows[r], r);
          rows[r] = Type::dot(S::zero_i(), load_codes(chunk, piece, half), x);
        }
        add_up(rows, dots);
        for (int b = 0; b < kBlocksPerVector && first + b < n_blocks; ++b) {
          acc = Type::finish(scales, first + b, dots + b * kSubs,
                             meta + (first + b) * static_cast<int>(sizeof(Q8Meta)), acc);
        }
      }
    }
    S::store_n(y, g.n_rows, acc);
  }

  static void add_up(const I rows[], I dots[]) noexcept {
    if constexpr (kSubs == 2) {
      S::quarter_sums(rows, dots);
    } else {
      S::half_sums(rows, dots);
    }
  }

  // Word k of the chunk of each row, as a vector at panel + k * kVectorBytes.
  void fill_panel(const Group& g, const Scales& scales, int n_blocks,
                  std::byte* panel) const noexcept {
    for (int piece = 0; piece * kBlocksPerVector < n_blocks; ++piece) {
      const bool half = (piece + 1) * kBlocksPerVector > n_blocks;
      I v[kLanes];
      for (int r = 0; r < kLanes; ++r) {
        v[r] = load_codes(type_.chunk(scales, g.rows[r], r), piece, half);
      }
      S::transpose(v);
      for (int k = 0; k < kLanes; ++k) {
        S::store_bytes(panel + (piece * kLanes + k) * kVectorBytes, v[k]);
      }
    }
  }

  void many_tokens(Group g, const std::byte* acts, std::size_t act_bytes, int n_tokens, float* y,
                   std::int64_t y_stride) const noexcept {
    alignas(64) std::byte panel[kChunk * kLanes];
    alignas(64) float sums[kTokenTile * kLanes];
    Scales scales;
    for (int t = 0; t < n_tokens; ++t) S::store(sums + t * kLanes, S::zero());
    for (std::int64_t c = 0; c < g.n_cols; c += kChunk, g.advance(type_.chunk_bytes())) {
      const Chunk chunk{panel, scales, c, g.n_cols, chunk_blocks(g.n_cols, c)};
      type_.scales(g.rows, chunk.n_blocks, scales);
      fill_panel(g, scales, chunk.n_blocks, panel);
      int t = 0;
      for (; t + S::kTileTokens <= n_tokens; t += S::kTileTokens) {
        tile<S::kTileTokens>(chunk, acts + static_cast<std::size_t>(t) * act_bytes, act_bytes,
                             sums + t * kLanes);
      }
      for (; t < n_tokens; ++t) {
        tile<1>(chunk, acts + static_cast<std::size_t>(t) * act_bytes, act_bytes,
                sums + t * kLanes);
      }
    }
    for (int t = 0; t < n_tokens; ++t) {
      S::store_n(y + t * y_stride, g.n_rows, S::load(sums + t * kLanes));
    }
  }

  struct Chunk {
    const std::byte* panel;
    const Scales& scales;
    std::int64_t column, n_cols;
    int n_blocks;
  };

  // Adds a chunk to the sums [kTokens, kLanes] of some tokens.
  template <int kTokens>
  static void tile(const Chunk& c, const std::byte* acts, std::size_t act_bytes,
                   float* sums) noexcept {
    constexpr int kWords = Type::kSub / 4;
    F acc[kTokens];
    for (int t = 0; t < kTokens; ++t) acc[t] = S::load(sums + t * kLanes);
    for (int b = 0; b < c.n_blocks; ++b) {
      I dots[kTokens][kSubs];
      for (int s = 0; s < kSubs; ++s) {
        for (int t = 0; t < kTokens; ++t) dots[t][s] = S::zero_i();
        for (int k = 0; k < kWords; ++k) {
          const int word = b * 8 + s * kWords + k;
          const auto w = S::load_bytes(c.panel + word * kVectorBytes);
          for (int t = 0; t < kTokens; ++t) {
            const std::byte* q = acts + static_cast<std::size_t>(t) * act_bytes + c.column;
            dots[t][s] = Type::dot(dots[t][s], w, S::broadcast4(q + 4 * word));
          }
        }
      }
      for (int t = 0; t < kTokens; ++t) {
        const std::byte* act = acts + static_cast<std::size_t>(t) * act_bytes;
        const std::byte* meta = meta_at(act, c.n_cols, c.column + 32 * b);
        acc[t] = Type::finish(c.scales, b, dots[t], meta, acc[t]);
      }
    }
    for (int t = 0; t < kTokens; ++t) S::store(sums + t * kLanes, acc[t]);
  }

  Type type_;
};

}  // namespace confab::kernels::generic
