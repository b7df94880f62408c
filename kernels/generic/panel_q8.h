// SPDX-License-Identifier: MIT
// A panel of quantised weights, unpacked once for all tokens of a call, and the tile of products
// that reads it.
//
// The lanes of sums are rows. A panel holds some vectors of rows and up to Dots::kBlocks blocks of
// 32 columns; it stays in the first-level cache while the tokens pass. A tile of some vectors by
// some tokens keeps its integers and its sums in registers. How the codes lie in the words of a
// panel, and how they meet those of the tokens, is in Dots (panel_dots.h); the bits do not depend
// on it.
#pragma once

#include "kernels/generic/row_group.h"

namespace confab::kernels::generic {

template <class S, class Form, class Dots>
struct Panel {
  static constexpr int kVectors = Dots::kVectors, kBlocks = Dots::kBlocks;
  static constexpr int kVectorBytes = Dots::kParts * static_cast<int>(sizeof(typename S::B));
  static constexpr int kScales = kBlocks * Form::kSubs * kVectors;

  static constexpr int kWordBytes = kVectors * kVectorBytes;  // from a word to the next

  // Word k of the rows of vector v; k < 8 n_blocks.
  std::byte* word(int k, int v) noexcept { return words + k * kWordBytes + v * kVectorBytes; }
  const std::byte* word(int k, int v) const noexcept {
    return words + k * kWordBytes + v * kVectorBytes;
  }
  // The place of scale or minimum s, of kSubs a block.
  static int at(int s, int v) noexcept { return s * kVectors + v; }

  alignas(64) std::byte words[kBlocks * 8 * kVectors * kVectorBytes];
  typename S::F scale[kScales];
  typename S::F min[Form::kHasMins ? kScales : 1];
  int n_blocks = 0;
  int offset = 0;  // of the codes
};

// The tokens of a call, as the panel at hand meets them: from its first column on.
struct PanelTokens {
  const std::byte* q;     // of the first token
  const std::byte* meta;  // of its blocks
  std::size_t row_bytes;
  int n;

  // The codes of token t in block b.
  const std::byte* codes(int t, int b) const noexcept {
    return q + static_cast<std::size_t>(t) * row_bytes + static_cast<unsigned>(32 * b);
  }
};

// Where products go: y[t * stride + r], r < n_rows. `adds`: to what is there already.
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

  // y = or += the panel's rows by each token. Meanwhile memory has to bring what is ahead: asked
  // for all at once, it would be waited for, and memory would rest during the products.
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

  // What is to come, and how many lines of it to ask for in each block.
  struct Ahead {
    RowsAhead<S>& rows;
    int lines;
  };

  template <int kVectors>
  static void all_tokens(const P& panel, const PanelTokens& x, const PanelOutput& out,
                         Ahead ahead) noexcept {
    // Eight tokens are better two times four than six and two.
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

}  // namespace confab::kernels::generic
