// SPDX-License-Identifier: MIT
// Quantised weights times q8 activations, over the vocabulary S of an instruction set (its simd.h).
//
// The sum of each (row, token) runs over the blocks of 32 in order. A block contributes an exact
// sum of integers, scaled. With one token, rows are read from end to end; the same can be done for
// two tokens if nothing has to be unpacked. With a few tokens, words of several rows are used as
// they are unpacked. With more, a panel of rows is unpacked once and kept. All ways give the same
// bits.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "kernels/generic/panel_q8.h"
#include "kernels/generic/weight_types.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// Quantised weights times the q8 activations of one token, or of kTokens. Decoding consists of
// this, and is limited by memory.
//
// Rows are read one after another from end to end, so that memory is read in one stream. The lanes
// of a vector are blocks of 32 of one row. Their products are stored until there are kLanes rows,
// then transposed so that lanes are rows, and added up block by block in the order of panel_q8.h.
// So the bits are the same.

constexpr int kSectionBlocks = 256;  // blocks of a row whose products are stored

// How far ahead to prefetch. The hardware prefetcher stops at each page. Twice or half this
// distance was slower, and so was no prefetching.
constexpr std::size_t kAhead = 8192;

// The activations of a section, with blocks as lanes. If a vector of kLanes blocks can start at any
// block, the first blocks are repeated after the last.
template <class S, class Form, bool kInHalves>
struct SectionTokens {
  static constexpr int kMost = kSectionBlocks + S::kLanes;
  alignas(64) std::byte copy[32 * kMost];
  alignas(64) std::byte low[16 * kMost], high[16 * kMost];  // halves of the blocks
  const std::byte* q;
  int n_blocks;
  float d[kMost], d_sum[Form::kSubs][kMost];
  std::int32_t start[Form::kSubs][kMost];

  SectionTokens(const std::byte* codes, const std::byte* meta, int n, int offset) noexcept
      : q(codes), n_blocks(n) {
    const int n_all = n % S::kLanes == 0 ? n : n + S::kLanes;
    if (n_all > n) q = copy;
    for (int b = 0, of_row = 0; b < n_all; ++b, of_row = of_row + 1 < n ? of_row + 1 : 0) {
      const std::byte* block = codes + 32 * of_row;
      if (n_all > n) std::memcpy(copy + 32 * b, block, 32);
      if constexpr (kInHalves) {
        std::memcpy(low + 16 * b, block, 16);
        std::memcpy(high + 16 * b, block + 16, 16);
      }
      const auto x = load_as<Q8Meta>(meta + static_cast<unsigned>(of_row) * sizeof(Q8Meta));
      d[b] = x.d;
      for (int s = 0; s < Form::kSubs; ++s) {
        d_sum[s][b] = Form::scaled_sum_of(x, s);
        start[s][b] = Form::start_of(x, offset, s);
      }
    }
  }
};

template <class S, class Type, int kTokens = 1>
class DecodeQ8 {
 public:
  // y[t * y_stride + r] = row r of `rows` times token t of x, which has kTokens tokens.
  static void run(const WeightRows& w, RowSlice rows, const Activations& x, float* y,
                  std::int64_t y_stride) noexcept {
    for (std::int64_t c = 0; c < w.n_cols; c += 32 * kSectionBlocks) {
      const auto tokens = tokens_of(w, x, c, std::make_index_sequence<kTokens>());
      const std::size_t at = static_cast<std::size_t>(c / kChunk) * Type::chunk_bytes();
      for (std::int64_t r = 0; r < rows.n_rows; r += kLanes) {
        const std::byte* row = w.data + static_cast<std::size_t>(rows.row0 + r) * w.row_bytes + at;
        const std::int64_t left_rows = rows.n_rows - r;
        const int n = left_rows < kLanes ? static_cast<int>(left_rows) : kLanes;
        add_section({row, w.row_bytes, n}, tokens, {y + r, y_stride, c > 0});
      }
    }
  }

 private:
  using F = typename S::F;
  using I = typename S::I;
  using Form = typename Type::Form;
  using RowCodes = typename Type::RowCodes;
  using Token = SectionTokens<S, Form, RowCodes::kInHalves>;
  using Tokens = std::array<Token, kTokens>;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kSubs = Form::kSubs;
  static constexpr int kVectorBytes = static_cast<int>(sizeof(typename S::B));
  static constexpr int kBlocksPerVector = kVectorBytes / 32;
  static constexpr int kVectors = kLanes / kBlocksPerVector;  // per kLanes blocks
  static constexpr int kSlices = kChunk / kVectorBytes;

  struct Rows {
    const std::byte* first;
    std::size_t row_bytes;
    int n;
  };

  struct Output {
    float* y;
    std::int64_t stride;
    bool adds;
  };
  // Products of the blocks of kLanes rows with one token.
  static constexpr int kProducts = kLanes * (kSectionBlocks + kLanes);

  // The section that starts at column c.
  template <std::size_t... t>
  static Tokens tokens_of(const WeightRows& w, const Activations& x, std::int64_t c,
                          std::index_sequence<t...>) noexcept {
    const std::int64_t left = (w.n_cols - c) / 32;
    const int n_blocks = left < kSectionBlocks ? static_cast<int>(left) : kSectionBlocks;
    const std::byte* meta = x.data + w.n_cols + c / 32 * std::int64_t{sizeof(Q8Meta)};
    return {Token(x.data + t * x.row_bytes + c, meta + t * x.row_bytes, n_blocks,
                  RowCodes::kOffset)...};
  }

  static void add_section(const Rows& rows, const Tokens& x, const Output& out) noexcept {
    alignas(64) float products[kTokens * kProducts];
    const int stride = multiply_rows(rows, x, products);
    for (int t = 0; t < kTokens; ++t) {
      float* y = out.y + t * out.stride;
      const F acc = out.adds ? S::load_n(y, rows.n) : S::zero();
      S::store_n(y, rows.n,
                 add_products(acc, products + t * kProducts, stride, rows.n, x[0].n_blocks));
    }
  }

  // Returns acc with the products of each row added to its lane.
  static F add_products(F acc, const float* products, int stride, int n_rows,
                        int n_blocks) noexcept {
    for (int b = 0; b < n_blocks; b += kLanes) {
      I v[kLanes];
      for (int r = 0; r < kLanes; ++r) {
        v[r] = S::bits(S::load(products + (r < n_rows ? r : 0) * stride + b));
      }
      S::transpose(v);
      const int n = n_blocks - b < kLanes ? n_blocks - b : kLanes;
      if (n == kLanes) {
        for (int i = 0; i < kLanes; ++i) acc = S::add(acc, S::from_bits(v[i]));
      } else {
        for (int i = 0; i < n; ++i) acc = S::add(acc, S::from_bits(v[i]));
      }
    }
    return acc;
  }

  // products[t * kProducts + r * stride + b] = the contribution of block b of row r. Returns the
  // stride. Contiguous rows are treated as one stream of blocks, so that no row ends with a partial
  // vector.
  static int multiply_rows(const Rows& rows, const Tokens& x, float* products) noexcept {
    const int n_blocks = x[0].n_blocks;
    if (rows.row_bytes * kChunkBlocks == static_cast<unsigned>(n_blocks) * Type::chunk_bytes()) {
      multiply(rows.first, rows.n * n_blocks, x, products);
      return n_blocks;
    }
    constexpr int kStride = kSectionBlocks + kLanes;  // keeps rows apart in the cache
    for (int r = 0; r < rows.n; ++r) {
      const std::byte* row = rows.first + static_cast<std::size_t>(r) * rows.row_bytes;
      multiply(row, n_blocks, x, products + r * kStride);
    }
    return kStride;
  }

  // products[t * kProducts + b] = the contribution of block b from `first` on, for b < n. The
  // blocks of a row follow those of the previous row.
  static void multiply(const std::byte* first, int n, const Tokens& x, float* products) noexcept {
    const std::size_t bytes = Type::chunk_bytes() * (kLanes / kChunkBlocks);
    const int step = kLanes % x[0].n_blocks;
    for (int b = 0, of_row = 0; b < n; b += kLanes, first += bytes) {
      for (std::size_t i = 0; i < bytes; i += 64) S::prefetch_far(first + kAhead + i);
      F product[kTokens];
      if (n - b >= kLanes) {
        multiply_blocks(RowCodes(first, kLanes), x, of_row, kLanes, product);
      } else {
        multiply_blocks(RowCodes(first, n - b), x, of_row, n - b, product);
      }
      for (int t = 0; t < kTokens; ++t) S::store(products + t * kProducts + b, product[t]);
      of_row += step;
      if (of_row >= x[0].n_blocks) of_row -= x[0].n_blocks;
    }
  }

  // The products of n <= kLanes blocks, starting at b.
  [[gnu::always_inline]] static void multiply_blocks(const RowCodes& row, const Tokens& x, int b,
                                                     int n, F product[kTokens]) noexcept {
    I sums[kTokens][kSubs];
    for (int t = 0; t < kTokens; ++t) {
      dots(row, x[t], b, n, sums[t]);
      if constexpr (RowCodes::kOffset != 0) {
        for (int s = 0; s < kSubs; ++s) {
          sums[t][s] = S::add(sums[t][s], S::load_i32(x[t].start[s] + b));
        }
      }
    }
    F scale[kSubs], min[kSubs];
    row.scales(n, scale, min);
    for (int t = 0; t < kTokens; ++t) {
      typename Form::Tokens token{S::load(x[t].d + b), {}};
      for (int s = 0; s < kSubs; ++s) token.d_sum[s] = S::load(x[t].d_sum[s] + b);
      product[t] = Form::product(sums[t], scale, min, token);
    }
  }

  [[gnu::always_inline]] static void dots(const RowCodes& row, const Token& x, int b, int n,
                                          I sums[kSubs]) noexcept {
    if constexpr (RowCodes::kInHalves) {
      if (n == kLanes) return row.dots_by_halves(x.low + 16 * b, x.high + 16 * b, sums);
    }
    I v[kVectors];
    for (int i = 0; i < kVectors / kSlices; ++i) {
      dot_chunk(row, i, x.q + 32 * b + kChunk * i, n - kChunkBlocks * i, v + i * kSlices);
    }
    if constexpr (kSubs == 1) {
      S::dots_of_blocks(v, sums);
    } else {
      S::dots_of_half_blocks(v, sums);
    }
  }

  // The dots of the first n_blocks blocks of chunk i. n_blocks may be 0 or less, or more than 8.
  [[gnu::always_inline]] static void dot_chunk(const RowCodes& row, int i, const std::byte* q,
                                               int n_blocks, I v[kSlices]) noexcept {
    if (n_blocks >= kChunkBlocks) {
#pragma GCC unroll 8
      for (int slice = 0; slice < kSlices; ++slice) {
        v[slice] = row.dot(i, slice, q + slice * kVectorBytes);
      }
      return;
    }
    for (int slice = 0; slice < kSlices; ++slice) {
      const int left = n_blocks - slice * kBlocksPerVector;
      v[slice] = S::zero_i();
      if (left >= kBlocksPerVector) {
        v[slice] = row.dot(i, slice, q + slice * kVectorBytes);
      } else if (left > 0) {
        if constexpr (kBlocksPerVector == 2 && Type::kAnyBlocks) {
          v[slice] = row.dot_low(i, slice, q + slice * kVectorBytes);
        }
      }
    }
  }
};

// Quantised weights times the q8 activations of a few tokens. Each word of a block (word_codes.h)
// is multiplied by all tokens when it is unpacked, and is not stored.
template <class S, class Type, int kTokens>
class FewQ8 {
 public:
  // y[t * y_stride + r] = row r of `rows` times token t of x, which has at most kTokens tokens.
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
  // Bytes of one block in all rows of a group.
  static constexpr std::size_t kBlockBytes = Type::chunk_bytes() * S::kLanes / kChunkBlocks;

  // While a group is computed, the next rows, which are contiguous, are prefetched a little with
  // each block. If they were requested at once, the lines would wait for each other, and the data
  // needed now would wait for all of them.
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

  // Prefetches the k-th eighth of the lines of a block.
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

template <class S>
concept MultipliesPairs = requires {
  typename S::Pairs;
};
// Whether products of signed codes use their magnitudes.
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

  // The bytes that will fill the panel of the rows from row0 on.
  static RowsAhead<S> ahead_of(const WeightRows& w, std::int64_t row0, std::int64_t c,
                               int n_blocks) noexcept {
    const std::byte* row = w.data + static_cast<std::size_t>(row0) * w.row_bytes;
    const auto bytes = static_cast<std::size_t>(n_blocks) * Type::chunk_bytes() / kChunkBlocks;
    return {row + static_cast<std::size_t>(c / kChunk) * Type::chunk_bytes(), w.row_bytes, bytes,
            Dots::kVectors * kLanes};
  }

  // Fills the panel with some rows, starting at column c.
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

  // Appends n_blocks blocks to vector v of the panel.
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
