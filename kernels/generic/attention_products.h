// SPDX-License-Identifier: MIT
// The products of attention, over the vocabulary S of an instruction set: rows of queries or
// weights, times a panel. For each 32-bit word of a row, the panel has a row of lanes, which are
// positions or values. A word is an f32 or four int8.
//
// Tiles of up to kTileRows rows and S::kAttentionVectors vectors are computed in registers. Every
// sum runs over the words in order, so its bits do not depend on the tile.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/attention_tile.h"
#include "kernels/block.h"

namespace confab::kernels::generic {

template <class S>
class AttentionProducts {
 public:
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;

  // Rows of f32 and their panel, both starting at the first word that counts.
  struct Floats {
    const float* rows;
    int row_stride;
    const float* panel;
    int panel_stride;
    int n_words;
  };
  // scores[r][lane] = rows[r] . panel[lane].
  static void scores(const Floats& x, int n_rows, int n_vectors, float* out) noexcept {
    each_tile(n_rows, n_vectors, [&](auto tile_rows, auto tile_vectors, int r, int v) {
      constexpr int kRows = decltype(tile_rows)::value, kVectors = decltype(tile_vectors)::value;
      F acc[kRows * kVectors];
      products<kRows, kVectors>(x, r, v, acc);
      repeat<kRows * kVectors>([&](auto at) {
        constexpr int i = at / kVectors, j = at % kVectors;
        S::store(out + (r + i) * kAttentionBlock + (v + j) * kLanes, acc[at]);
      });
    });
  }
  // out[r][lane] = keep[r] out[r][lane] + rows[r] . panel[lane].
  static void add(const Floats& x, const float* keep, int n_rows, int n_vectors, float* out,
                  int out_stride) noexcept {
    each_tile(n_rows, n_vectors, [&](auto tile_rows, auto tile_vectors, int r, int v) {
      constexpr int kRows = decltype(tile_rows)::value, kVectors = decltype(tile_vectors)::value;
      F acc[kRows * kVectors];
      products<kRows, kVectors>(x, r, v, acc);
      repeat<kRows * kVectors>([&](auto at) {
        constexpr int i = at / kVectors, j = at % kVectors;
        float* o = out + (r + i) * out_stride + (v + j) * kLanes;
        S::store(o, S::fma(S::load(o), S::set1(keep[r + i]), acc[at]));
      });
    });
  }

  // Rows of signed whole numbers in two parts, 128 high + low, and codes with a scale for each 32
  // of a position. A row is high [dim], low [dim], and minus the sum of each 32, as i32 [dim / 32].
  struct Codes {
    const std::byte* rows;
    int row_stride;          // bytes
    const std::byte* panel;  // [dim / 4, kAttentionBlock] words
    const float* scales;     // [dim / 32, kAttentionBlock]
    int dim;
  };
  // The same as scores() for f32.
  static void scores(const Codes& x, int n_rows, int n_vectors, float* out) noexcept {
    each_tile(n_rows, n_vectors, [&](auto tile_rows, auto tile_vectors, int r, int v) {
      code_tile<decltype(tile_rows)::value, decltype(tile_vectors)::value>(x, r, v, out);
    });
  }

  // Weights as whole numbers in two parts of 7 bits, rounded separately for each 32 of the lanes,
  // and signed codes.
  struct Weights {
    // [n_rows, dim / 32, 2, kAttentionBlock]: 128 times the first part plus the second
    const std::byte* rows;
    const float* scales;     // [n_rows, dim / 32]
    const std::byte* panel;  // [kAttentionBlock / 4, dim] words of four positions each
    int dim;
  };
  // The same as add() for f32, for at most kLanes rows.
  static void add(const Weights& x, const float* keep, int n_rows, float* out,
                  int out_stride) noexcept {
    each_tile(n_rows, x.dim / kLanes, [&](auto tile_rows, auto tile_vectors, int r, int v) {
      constexpr int kRows = decltype(tile_rows)::value, kVectors = decltype(tile_vectors)::value;
      weight_tile<kRows, kVectors>(x, keep + r, r, v, out + r * out_stride, out_stride);
    });
  }

 private:
  static constexpr int kTileRows = 6;

  // Calls use(0) to use(kN - 1) with constants. Unlike nested loops, this keeps arrays in
  // registers.
  template <int kN, class Use>
  [[gnu::always_inline]] static void repeat(Use use) noexcept {
    repeat(std::make_integer_sequence<int, kN>{}, use);
  }
  template <int... kI, class Use>
  [[gnu::always_inline]] static void repeat(std::integer_sequence<int, kI...>, Use use) noexcept {
    (use(std::integral_constant<int, kI>{}), ...);
  }

  // Calls use(rows, vectors, first row, first vector) for tiles that cover everything.
  template <class Use>
  static void each_tile(int n_rows, int n_vectors, Use use) noexcept {
    const int n_parts = (n_rows + kTileRows - 1) / kTileRows;
    int v = 0;
    for (; v + S::kAttentionVectors <= n_vectors; v += S::kAttentionVectors)
      each_part<S::kAttentionVectors>(n_rows, n_parts, v, use);
    for (; v < n_vectors; ++v) each_part<1>(n_rows, n_parts, v, use);
  }
  // Cuts rows into parts of similar size, because a tile of few rows waits for its own results.
  template <int kVectors, class Use>
  static void each_part(int n_rows, int n_parts, int v, Use use) noexcept {
    constexpr std::integral_constant<int, kVectors> vectors;
    for (int i = 0; i < n_parts; ++i) {
      const int r = n_rows * i / n_parts;
      switch (n_rows * (i + 1) / n_parts - r) {
        case 1:
          use(std::integral_constant<int, 1>{}, vectors, r, v);
          break;
        case 2:
          use(std::integral_constant<int, 2>{}, vectors, r, v);
          break;
        case 3:
          use(std::integral_constant<int, 3>{}, vectors, r, v);
          break;
        case 4:
          use(std::integral_constant<int, 4>{}, vectors, r, v);
          break;
        case 5:
          use(std::integral_constant<int, 5>{}, vectors, r, v);
          break;
        default:
          use(std::integral_constant<int, 6>{}, vectors, r, v);
          break;
      }
    }
  }

  template <int kRows, int kVectors>
  [[gnu::always_inline]] static void products(const Floats& x, int r, int v, F acc[]) noexcept {
    const float* row = x.rows + r * x.row_stride;
    const float* panel = x.panel + v * kLanes;
    F sums[kRows * kVectors];
    repeat<kRows * kVectors>([&](auto at) { sums[at] = S::zero(); });
    for (int k = 0; k < x.n_words; ++k, ++row, panel += x.panel_stride) {
      F lanes[kVectors];
      repeat<kVectors>([&](auto j) { lanes[j] = S::load(panel + j * kLanes); });
      repeat<kRows>([&](auto i) {
        const F word = S::set1(row[i * x.row_stride]);
        repeat<kVectors>([&](auto j) {
          F& sum = sums[i * kVectors + j];
          sum = S::fma(word, lanes[j], sum);
        });
      });
    }
    repeat<kRows * kVectors>([&](auto at) { acc[at] = sums[at]; });
  }

  // Adds the dots of a block of 32: words starting at `row`, kRows rows that are row_stride bytes
  // apart.
  template <int kRows, int kVectors>
  [[gnu::always_inline]] static void add_dots(const std::byte* row, int row_stride,
                                              const std::byte* panel, I acc[]) noexcept {
#pragma GCC unroll 1
    for (int k = 0; k < 8; ++k, row += 4, panel += 4 * kAttentionBlock) {
      I lanes[kVectors];
      repeat<kVectors>([&](auto j) { lanes[j] = S::load_kept(panel + 4 * j * kLanes); });
      repeat<kRows>([&](auto i) {
        const I word = S::broadcast4(row + i * row_stride);
        repeat<kVectors>([&](auto j) {
          I& sum = acc[i * kVectors + j];
          sum = S::dot_of_many(sum, lanes[j], word);
        });
      });
    }
  }

  template <int kRows, int kVectors>
  static void code_tile(const Codes& x, int r, int v, float* out) noexcept {
    const std::byte* row = x.rows + r * x.row_stride;
    out += r * kAttentionBlock + v * kLanes;
    for (int b = 0; b < x.dim / 32; ++b) {
      const std::byte* panel = x.panel + 4 * (b * 8 * kAttentionBlock + v * kLanes);
      const float* scales = x.scales + b * kAttentionBlock + v * kLanes;
      I acc[kRows * kVectors];
      repeat<kRows * kVectors>([&](auto at) {  // cancels the offset of the codes
        const std::byte* sums = row + at / kVectors * x.row_stride + 2 * x.dim;
        acc[at] =
            S::kSignedOffset == 0 ? S::zero_i() : S::set1_i(load_as<std::uint32_t>(sums + 4 * b));
      });
      add_dots<kRows, kVectors>(row + 32 * b, x.row_stride, panel, acc);
      repeat<kRows * kVectors>([&](auto at) { acc[at] = S::template shift_left<7>(acc[at]); });
      add_dots<kRows, kVectors>(row + x.dim + 32 * b, x.row_stride, panel, acc);
      repeat<kRows * kVectors>([&](auto at) {
        constexpr int i = at / kVectors, j = at % kVectors;
        float* o = out + i * kAttentionBlock + j * kLanes;
        const F dots = S::to_f32(acc[at]), scale = S::load(scales + j * kLanes);
        S::store(o, b == 0 ? S::mul(dots, scale) : S::fma(dots, scale, S::load(o)));
      });
    }
  }

  // Adds one part of the weights of kRows rows, starting at `row`, times kVectors vectors of
  // `panel`.
  template <int kRows, int kVectors>
  [[gnu::always_inline]] static void add_weighted(const Weights& x, const std::byte* row,
                                                  const std::byte* panel, I acc[]) noexcept {
    constexpr int kShare = 32 / kLanes < kVectors ? 32 / kLanes : kVectors;  // vectors in a block
    constexpr int kBlocks = kVectors / kShare;
    const int row_stride = x.dim / 32 * 2 * kAttentionBlock;
#pragma GCC unroll 1
    for (int k = 0; k < kAttentionBlock; k += 4, row += 4, panel += 4 * x.dim) {
      I lanes[kVectors];
      repeat<kVectors>([&](auto j) { lanes[j] = S::load_kept(panel + 4 * j * kLanes); });
      repeat<kRows * kBlocks>([&](auto at) {
        constexpr int i = at / kBlocks, b = at % kBlocks;
        const I word = S::broadcast4(row + i * row_stride + b * 2 * kAttentionBlock);
        repeat<kShare>([&](auto j) {
          I& sum = acc[at * kShare + j];
          sum = S::dot_of_many(sum, word, lanes[b * kShare + j]);
        });
      });
    }
  }

  template <int kRows, int kVectors>
  static void weight_tile(const Weights& x, const float* keep, int r, int v, float* out,
                          int out_stride) noexcept {
    const int n_blocks = x.dim / 32, block = v * kLanes / 32;
    const std::byte* row = x.rows + (r * n_blocks + block) * 2 * kAttentionBlock;
    const std::byte* panel = x.panel + 4 * v * kLanes;
    I acc[kRows * kVectors];
    repeat<kRows * kVectors>([&](auto at) { acc[at] = S::zero_i(); });
    add_weighted<kRows, kVectors>(x, row, panel, acc);
    repeat<kRows * kVectors>([&](auto at) { acc[at] = S::template shift_left<7>(acc[at]); });
    add_weighted<kRows, kVectors>(x, row + kAttentionBlock, panel, acc);
    repeat<kRows * kVectors>([&](auto at) {
      constexpr int i = at / kVectors, j = at % kVectors;
      float* o = out + i * out_stride + (v + j) * kLanes;
      const F scale = S::set1(x.scales[(block + j * kLanes / 32) * kLanes + r + i]);
      const F kept = S::mul(S::load(o), S::set1(keep[i]));
      S::store(o, S::fma(S::to_f32(acc[at]), scale, kept));
    });
  }
};

}  // namespace confab::kernels::generic
