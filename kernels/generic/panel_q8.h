// SPDX-License-Identifier: MIT
// A panel of quantised weights, unpacked once for all tokens of a call, and the tile of products
// that reads it.
//
// The lanes of sums are rows. A panel holds some vectors of rows and up to Dots::kBlocks blocks of
// 32 columns. It stays in the first-level cache while the tokens pass. A tile of some vectors by
// some tokens keeps its integers and sums in registers. Dots defines how codes are arranged in the
// words of a panel and how they are multiplied by those of the tokens; the bits do not depend on
// it.
#pragma once

#include "kernels/generic/weight_types.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// Rows of quantised weights that are computed together, one per lane, and the addresses of their
// chunks of 256 columns. Takes at most n rows from row0 on; the last row is repeated to fill the
// lanes.
template <class S, class Type>
struct RowGroup {
  RowGroup(const WeightRows& w, std::int64_t row0, std::int64_t n) noexcept
      : n_rows(n < S::kLanes ? n : S::kLanes), n_cols(w.n_cols) {
    for (int r = 0; r < S::kLanes; ++r) {
      const std::int64_t row = row0 + (r < n ? r : n - 1);
      rows[r] = w.data + static_cast<std::size_t>(row) * w.row_bytes;
    }
  }

  void advance(std::int64_t n_chunks) noexcept {
    const std::size_t bytes = static_cast<std::size_t>(n_chunks) * Type::chunk_bytes();
    for (const std::byte*& row : rows) row += bytes;
  }
  // Blocks in the chunk that starts at column c.
  int n_blocks(std::int64_t c) const noexcept {
    return n_cols - c < kChunk ? static_cast<int>(n_cols - c) / 32 : kChunkBlocks;
  }

  const std::byte* rows[S::kLanes];
  std::int64_t n_rows, n_cols;
};

// Memory to prefetch while other data is used: `bytes` bytes of each of n rows.
template <class S>
class RowsAhead {
 public:
  RowsAhead(const std::byte* first, std::size_t row_bytes, std::size_t bytes, int n) noexcept
      : row_(first), row_bytes_(row_bytes), bytes_(bytes), left_(n) {}

  std::int64_t n_lines() const noexcept {
    return static_cast<std::int64_t>((bytes_ + 63) / 64) * left_;
  }
  // Prefetches up to n more cache lines.
  void fetch(int n) noexcept {
    for (; n > 0 && left_ > 0; --n) {
      S::prefetch_far(row_ + at_);
      at_ += 64;
      if (at_ >= bytes_) {
        at_ = 0;
        row_ += row_bytes_;
        --left_;
      }
    }
  }

 private:
  const std::byte* row_;
  std::size_t row_bytes_, bytes_, at_ = 0;
  int left_;
};

// The Q8Meta of the block at column c of a token's activations.
inline const std::byte* meta_at(const std::byte* token, std::int64_t n_cols,
                                std::int64_t c) noexcept {
  return token + n_cols + c / 32 * static_cast<std::int64_t>(sizeof(Q8Meta));
}

template <class S, class Form, class Dots>
struct Panel {
  static constexpr int kVectors = Dots::kVectors, kBlocks = Dots::kBlocks;
  static constexpr int kVectorBytes = Dots::kParts * static_cast<int>(sizeof(typename S::B));
  static constexpr int kScales = kBlocks * Form::kSubs * kVectors;

  static constexpr int kWordBytes = kVectors * kVectorBytes;  // distance from one word to the next

  // Word k of the rows of vector v, for k < 8 n_blocks.
  std::byte* word(int k, int v) noexcept { return words + k * kWordBytes + v * kVectorBytes; }
  const std::byte* word(int k, int v) const noexcept {
    return words + k * kWordBytes + v * kVectorBytes;
  }
  // The index of scale or minimum s; there are kSubs per block.
  static int at(int s, int v) noexcept { return s * kVectors + v; }

  alignas(64) std::byte words[kBlocks * 8 * kVectors * kVectorBytes];
  typename S::F scale[kScales];
  typename S::F min[Form::kHasMins ? kScales : 1];
  int n_blocks = 0;
  int offset = 0;  // added to the codes
};

// The tokens of a call, starting at the first column of the current panel.
struct PanelTokens {
  const std::byte* q;     // the first token's
  const std::byte* meta;  // of the first token's blocks
  std::size_t row_bytes;
  int n;

  // The codes of token t in block b.
  const std::byte* codes(int t, int b) const noexcept {
    return q + static_cast<std::size_t>(t) * row_bytes + static_cast<unsigned>(32 * b);
  }
};

// Where products go: y[t * stride + r] for r < n_rows. If `adds`, they are added to what is there.
struct PanelOutput {
  float* y;
  std::int64_t stride;
  std::int64_t n_rows;
  bool adds;
};

template <class S, class Form, class Dots>
class PanelQ8 {
 public:
  using P = Panel<S, Form, Dots>;

  // y = or += the panel's rows times each token. Meanwhile the next rows are prefetched bit by bit.
  // Requesting them all at once would stall the products, and memory would be idle afterwards.
  static void multiply(const P& panel, const PanelTokens& x, const PanelOutput& out,
                       RowsAhead<S>& ahead) noexcept {
    const int n_tiles = (x.n + Dots::kTokens - 1) / Dots::kTokens;
    const int lines = static_cast<int>(ahead.n_lines() / (n_tiles * panel.n_blocks)) + 1;
    if (out.n_rows > (P::kVectors - 1) * kLanes) {
      all_tokens<P::kVectors>(panel, x, out, {ahead, lines});
    } else {
      all_tokens<1>(panel, x, out, {ahead, lines});
    }
  }

 private:
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kSubs = Form::kSubs;

  // The rows to prefetch, and how many of their lines to request with each block.
  struct Ahead {
    RowsAhead<S>& rows;
    int lines;
  };

  template <int kVectors>
  static void all_tokens(const P& panel, const PanelTokens& x, const PanelOutput& out,
                         Ahead ahead) noexcept {
    // Eight tokens are faster as two tiles of four than as six and two.
    const auto whole = [](int n) { return n >= Dots::kTokens && (n != 8 || Dots::kTokens != 6); };
    int t = 0;
    for (; whole(x.n - t); t += Dots::kTokens) {
      tile<kVectors, Dots::kTokens>(panel, from(x, t), from(out, t), ahead);
    }
    if constexpr (Dots::kTokens > 4) {
      for (; t + 4 <= x.n; t += 4) tile<kVectors, 4>(panel, from(x, t), from(out, t), ahead);
    }
    if constexpr (Dots::kTokens > 2) {
      for (; t + 2 <= x.n; t += 2) tile<kVectors, 2>(panel, from(x, t), from(out, t), ahead);
    }
    if (t < x.n) tile<kVectors, 1>(panel, from(x, t), from(out, t), ahead);
  }

  static PanelTokens from(const PanelTokens& x, int t) noexcept {
    const std::size_t bytes = static_cast<std::size_t>(t) * x.row_bytes;
    return {x.q + bytes, x.meta + bytes, x.row_bytes, x.n - t};
  }
  static PanelOutput from(const PanelOutput& out, int t) noexcept {
    return {out.y + t * out.stride, out.stride, out.n_rows, out.adds};
  }
  static std::int64_t rows_of(const PanelOutput& out, int v) noexcept {
    const std::int64_t left = out.n_rows - v * kLanes;
    return left < kLanes ? left : kLanes;
  }

  template <int kVectors, int kTokens>
  static void tile(const P& panel, const PanelTokens& x, const PanelOutput& out,
                   Ahead ahead) noexcept {
    F acc[kVectors][kTokens];
    for (int v = 0; v < kVectors; ++v) {
      for (int t = 0; t < kTokens; ++t) {
        const float* y = out.y + t * out.stride + v * kLanes;
        acc[v][t] = out.adds ? S::load_n(y, rows_of(out, v)) : S::zero();
      }
    }
    for (int b = 0; b < panel.n_blocks; ++b) {
      ahead.rows.fetch(ahead.lines);
      typename Form::Sums sums[kVectors][kTokens];
      for (int t = 0; t < kTokens; ++t) {
        for (int v = 0; v < kVectors; ++v) sums[v][t].start(meta_of(x, t, b), panel.offset);
      }
      Dots::template add<kVectors, kTokens>(panel, x, b, sums);
      add_sums(panel, x, b, sums, acc);
    }
    for (int v = 0; v < kVectors; ++v) {
      for (int t = 0; t < kTokens; ++t) {
        S::store_n(out.y + t * out.stride + v * kLanes, rows_of(out, v), acc[v][t]);
      }
    }
  }

  template <int kVectors, int kTokens>
  [[gnu::always_inline]] static void add_sums(const P& panel, const PanelTokens& x, int b,
                                              const typename Form::Sums (&sums)[kVectors][kTokens],
                                              F (&acc)[kVectors][kTokens]) noexcept {
    for (int v = 0; v < kVectors; ++v) {
      F scale[kSubs], min[kSubs];
      for (int s = 0; s < kSubs; ++s) {
        scale[s] = panel.scale[P::at(b * kSubs + s, v)];
        min[s] = Form::kHasMins ? panel.min[P::at(b * kSubs + s, v)] : S::zero();
      }
      for (int t = 0; t < kTokens; ++t) {
        const F product =
            Form::product(sums[v][t].dots, scale, min, Form::tokens(meta_of(x, t, b)));
        acc[v][t] = S::add(acc[v][t], product);
      }
    }
  }

  static const std::byte* meta_of(const PanelTokens& x, int t, int b) noexcept {
    return x.meta + static_cast<std::size_t>(t) * x.row_bytes +
           static_cast<std::size_t>(b) * sizeof(Q8Meta);
  }
};

// The Dots of PanelQ8: how a panel's codes are arranged in words, and how to compute their dots
// with the tokens' codes. Each defines the size of a panel and of a tile: kVectors of rows, kBlocks
// of 32 columns, kTokens, and kParts, the size of a word per vector of rows in vectors of bytes.
// store() writes a word. arrange(panel, first, n, v) puts the words of blocks `first` to first + n
// - 1 of vector v, which arrive in the order of word_codes.h, into the order that add() expects.
// add<kVectors, kTokens>(panel, x, b, sums) adds the products of block b to sums[vector][token].
// All give the same integers.

// Word k of a block holds columns 4k to 4k + 3 of each row and is multiplied by one broadcast word
// of each token. For many tokens: transposing is slow, multiplying is fast.
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

// Signed codes with their magnitudes beside them, because loading these takes less time than
// computing them for each tile.
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

// For sets with S::Pairs, which sum all rows for two tokens. Words 2k and 2k + 1 hold columns 8k to
// 8k + 7 of the lower and the upper half of the rows, in the order of S::pair_words().
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

  // An odd last token is paired with itself.
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
