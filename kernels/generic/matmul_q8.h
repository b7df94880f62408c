// SPDX-License-Identifier: MIT
// Quantised weights by q8 activations, over the vocabulary S of an instruction set (its simd.h).
//
// The lanes of a vector are rows: a group of S::kLanes rows is computed at once, and the sum of
// each (row, token) runs over the blocks of 32 in order, one fused multiply-add a block on top of
// an exact sum of integers. Two kernels make those integers: with few tokens, dots along the rows
// are added up across lanes; with many, a panel of the rows is unpacked and transposed once, and
// its words meet one broadcast word of each token. The bits are the same.
#pragma once

#include "kernels/block.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

constexpr int kChunk = 256;         // weights of a row that are unpacked together
constexpr int kChunkBlocks = 8;     // blocks of 32 in them
constexpr int kPanelMinTokens = 4;  // from here on transposing pays
constexpr int kTokenTile = 64;      // tokens that use a panel before the next is unpacked

// Types. Each is given the Codes of the instruction set (codes.h) and says what a chunk's dots
// mean: Scales, as lanes of rows; scales() fills them; finish() adds a block to the sums.

// w = d (code - kOffset); kSigned: codes may be negative, or above 127.
template <class S, class Codes, class Block, int kOffset, bool kSigned>
struct Plain : Codes {
  static constexpr int kSub = 32;
  static constexpr bool kAnyBlocks = true;  // rows may end inside a chunk
  static constexpr std::size_t kChunkBytes = kChunkBlocks * sizeof(Block);
  struct Scales {
    typename S::F d[kChunkBlocks];
  };

  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    if constexpr (kSigned) return S::dot_signed(sum, codes, x);
    return S::dot(sum, codes, x);
  }
  static void scales(const std::byte* const rows[], int n_blocks, Scales& out) noexcept {
    for (int b = 0; b < n_blocks; ++b) {
      out.d[b] = S::gather_f16(rows, static_cast<unsigned>(b) * sizeof(Block));
    }
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    typename S::F sum = S::to_f32(dots[0]);
    if constexpr (kOffset != 0) sum = S::fnma(S::set1(kOffset), S::set1(x.sum), sum);  // exact
    return S::fma(sum, S::mul(scales.d[b], S::set1(x.d)), acc);
  }
};

template <class S, class Codes, class Block>
struct WithMins : Codes {  // w = d sc code - dmin m
  static constexpr int kSub = 32;
  static constexpr bool kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(Block);
  struct Scales {
    typename S::F scale[kChunkBlocks];
    typename S::F min[kChunkBlocks];
  };

  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    return S::dot(sum, codes, x);
  }
  // unpack_scales_k4() on lanes: d, dmin and the 12 bytes of scales are the block's first 16.
  static void scales(const std::byte* const rows[], int, Scales& out) noexcept {
    typename S::I w[4];
    S::gather_words(rows, 0, w);
    const auto d = S::f16_to_f32(w[0]);
    const auto dmin = S::f16_to_f32(S::template shift_right<16>(w[0]));
    const auto six = S::set1_i(0x3f3f3f3fU), four = S::set1_i(0x0f0f0f0fU);
    const auto two = S::set1_i(0x30303030U);
    spread(S::and_(w[1], six), d, out.scale);
    spread(S::and_(w[2], six), dmin, out.min);
    spread(S::or_(S::and_(w[3], four), S::and_(S::template shift_right<2>(w[1]), two)), d,
           out.scale + 4);
    spread(S::or_(S::and_(S::template shift_right<4>(w[3]), four),
                  S::and_(S::template shift_right<2>(w[2]), two)),
           dmin, out.min + 4);
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    const auto scaled = S::mul(S::to_f32(dots[0]), scales.scale[b]);
    return S::fma(S::fnma(scales.min[b], S::set1(x.sum), scaled), S::set1(x.d), acc);
  }

 private:
  // out[i] = d * byte i of each lane.
  static void spread(typename S::I bytes, typename S::F d, typename S::F out[4]) noexcept {
    const auto low = S::set1_i(255);
    out[0] = S::mul(d, S::to_f32(S::and_(bytes, low)));
    out[1] = S::mul(d, S::to_f32(S::and_(S::template shift_right<8>(bytes), low)));
    out[2] = S::mul(d, S::to_f32(S::and_(S::template shift_right<16>(bytes), low)));
    out[3] = S::mul(d, S::to_f32(S::template shift_right<24>(bytes)));
  }
};

template <class S, class Codes>
struct SixBit : Codes {  // w = d sc (code - 32), a scale for 16 weights
  static constexpr int kSub = 16;
  static constexpr bool kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(BlockQ6_K);
  struct Scales {
    typename S::F scale[2 * kChunkBlocks];
  };

  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    return S::dot(sum, codes, x);
  }
  static void scales(const std::byte* const rows[], int, Scales& out) noexcept {
    const auto d = S::gather_f16(rows, offsetof(BlockQ6_K, d));
    typename S::I w[4];
    S::gather_words(rows, offsetof(BlockQ6_K, scales), w);
    for (int i = 0; i < 4; ++i) {  // signed bytes
      const auto byte = [&](typename S::I moved_to_the_top) {
        return S::mul(d, S::to_f32(S::shift_right_signed_24(moved_to_the_top)));
      };
      out.scale[4 * i] = byte(S::template shift_left<24>(w[i]));
      out.scale[4 * i + 1] = byte(S::template shift_left<16>(w[i]));
      out.scale[4 * i + 2] = byte(S::template shift_left<8>(w[i]));
      out.scale[4 * i + 3] = byte(w[i]);
    }
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    const auto offset = S::set1(32);
    const auto low = S::fnma(offset, S::set1(x.sum_lo), S::to_f32(dots[0]));  // exact
    const auto high = S::fnma(offset, S::set1(x.sum_hi), S::to_f32(dots[1]));
    const auto scaled = S::fma(high, scales.scale[2 * b + 1], S::mul(low, scales.scale[2 * b]));
    return S::fma(scaled, S::set1(x.d), acc);
  }
};

template <class S, class Type>
class MatmulQ8 {
 public:
  static void run(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
                  float* y, std::int64_t y_stride) noexcept {
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
  static constexpr std::size_t kStepBytes = kLanes * Type::kChunkBytes / kPieces;
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
    void next_chunk() noexcept {
      for (const std::byte*& row : rows) row += Type::kChunkBytes;
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

  static typename S::B load_codes(const std::byte* row, int piece, bool half) noexcept {
    if constexpr (kBlocksPerVector == 2 && Type::kAnyBlocks) {
      if (half) return Type::low_codes(row, piece);
    }
    return Type::codes(row, piece);
  }

  // The rows of a group lie one after another, too many streams for the processor to foresee; so
  // each step asks for its share of the next group, `ahead` bytes from this (0: there is none).
  static void one_token(Group g, const std::byte* act, float* y, std::size_t ahead) noexcept {
    F acc = S::zero();
    const std::byte* next = g.rows[0] + ahead;
    Scales scales;
    for (std::int64_t c = 0; c < g.n_cols; c += kChunk, g.next_chunk()) {
      const int n_blocks = chunk_blocks(g.n_cols, c);
      const std::byte* meta = meta_at(act, g.n_cols, c);
      Type::scales(g.rows, n_blocks, scales);
      for (int piece = 0; piece * kBlocksPerVector < n_blocks; ++piece) {
        const int first = piece * kBlocksPerVector;
        const bool half = first + kBlocksPerVector > n_blocks;
        const std::byte* q = act + c + piece * kVectorBytes;
        const auto x = half ? S::load_low_block(q) : S::load_bytes(q);
        I rows[kLanes], dots[kBlocksPerVector * kSubs];
        if (ahead != 0) {
          for (std::size_t i = 0; i < kStepBytes; i += 64) S::prefetch(next + i);
          next += kStepBytes;
        }
        for (int r = 0; r < kLanes; ++r) {
          rows[r] = Type::dot(S::zero_i(), load_codes(g.rows[r], piece, half), x);
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
  static void fill_panel(const Group& g, int n_blocks, std::byte* panel) noexcept {
    for (int piece = 0; piece * kBlocksPerVector < n_blocks; ++piece) {
      const bool half = (piece + 1) * kBlocksPerVector > n_blocks;
      I v[kLanes];
      for (int r = 0; r < kLanes; ++r) v[r] = load_codes(g.rows[r], piece, half);
      S::transpose(v);
      for (int k = 0; k < kLanes; ++k) {
        S::store_bytes(panel + (piece * kLanes + k) * kVectorBytes, v[k]);
      }
    }
  }

  static void many_tokens(Group g, const std::byte* acts, std::size_t act_bytes, int n_tokens,
                          float* y, std::int64_t y_stride) noexcept {
    alignas(64) std::byte panel[kChunk * kLanes];
    alignas(64) float sums[kTokenTile * kLanes];
    Scales scales;
    for (int t = 0; t < n_tokens; ++t) S::store(sums + t * kLanes, S::zero());
    for (std::int64_t c = 0; c < g.n_cols; c += kChunk, g.next_chunk()) {
      const Chunk chunk{panel, scales, c, g.n_cols, chunk_blocks(g.n_cols, c)};
      Type::scales(g.rows, chunk.n_blocks, scales);
      fill_panel(g, chunk.n_blocks, panel);
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
};

}  // namespace confab::kernels::generic
