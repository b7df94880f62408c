// SPDX-License-Identifier: MIT
// A panel of quantised weights, unpacked and transposed once for all tokens of a call, and the tile
// of products that reads it.
//
// The lanes of a vector are rows. A panel holds kVectors vectors of rows and up to kPanelBlocks
// blocks of 32 columns; it stays in the first-level cache while the tokens pass. A tile of some
// vectors by some tokens keeps its integers and its sums in registers, so that each word of the
// panel and of the activations is loaded once for several products.
#pragma once

#include "kernels/generic/weight_types.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// Most instruction sets multiply four columns of each row by those of one token: word k of a block
// of a panel has columns 4k to 4k + 3. With S::Pairs, the sums of all rows for two tokens, words 2k
// and 2k + 1 have columns 8k to 8k + 7 of the lower and the upper half of the rows, as
// S::pair_rows() orders the codes; S::multiply_pairs() adds their products with eight columns of
// two tokens. The integers are the same.
template <class S>
concept MultipliesPairs = requires {
  typename S::Pairs;
};

// Codes of S::kLanes rows, as many bytes of each as a vector has, to words of a panel.
template <class S>
void to_words(typename S::I codes[]) noexcept {
  if constexpr (MultipliesPairs<S>) {
    S::pair_rows(codes);
  } else {
    S::transpose(codes);
  }
}

constexpr int kPanelChunks = 4;  // of kChunk weights of a row
constexpr int kPanelBlocks = kPanelChunks * kChunkBlocks;

template <class S, class Form>
struct Panel {
  static constexpr int kVectors = S::kTileVectors;
  static constexpr int kVectorBytes = static_cast<int>(sizeof(typename S::B));
  static constexpr int kScales = kPanelBlocks * Form::kSubs * kVectors;

  // Word k of the rows of vector v; k < 8 n_blocks.
  std::byte* word(int k, int v) noexcept { return words + (k * kVectors + v) * kVectorBytes; }
  const std::byte* word(int k, int v) const noexcept {
    return words + (k * kVectors + v) * kVectorBytes;
  }
  // The place of scale or minimum s, of kSubs a block.
  static int at(int s, int v) noexcept { return s * kVectors + v; }

  alignas(64) std::byte words[kPanelBlocks * 8 * kVectors * kVectorBytes];
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
};

// Where products go: y[t * stride + r], r < n_rows. `adds`: to what is there already.
struct PanelOutput {
  float* y;
  std::int64_t stride;
  std::int64_t n_rows;
  bool adds;
};

template <class S, class Form>
class PanelQ8 {
 public:
  using P = Panel<S, Form>;

  // y = or += the panel's rows by each token.
  static void multiply(const P& panel, const PanelTokens& x, const PanelOutput& out) noexcept {
    if (out.n_rows > (P::kVectors - 1) * kLanes) {
      all_tokens<P::kVectors>(panel, x, out);
    } else {
      all_tokens<1>(panel, x, out);
    }
  }

 private:
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kSubs = Form::kSubs;

  template <int kVectors>
  static void all_tokens(const P& panel, const PanelTokens& x, const PanelOutput& out) noexcept {
    int t = 0;
    for (; t + S::kTileTokens <= x.n; t += S::kTileTokens) {
      tile<kVectors, S::kTileTokens>(panel, from(x, t), from(out, t));
    }
    if constexpr (S::kTileTokens > 4) {
      for (; t + 4 <= x.n; t += 4) tile<kVectors, 4>(panel, from(x, t), from(out, t));
    }
    for (; t + 2 <= x.n; t += 2) tile<kVectors, 2>(panel, from(x, t), from(out, t));
    if (t < x.n) tile<kVectors, 1>(panel, from(x, t), from(out, t));
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
  static void tile(const P& panel, const PanelTokens& x, const PanelOutput& out) noexcept {
    F acc[kVectors][kTokens];
    for (int v = 0; v < kVectors; ++v) {
      for (int t = 0; t < kTokens; ++t) {
        const float* y = out.y + t * out.stride + v * kLanes;
        acc[v][t] = out.adds ? S::load_n(y, rows_of(out, v)) : S::zero();
      }
    }
    for (int b = 0; b < panel.n_blocks; ++b) add_block<kVectors, kTokens>(panel, x, b, acc);
    for (int v = 0; v < kVectors; ++v) {
      for (int t = 0; t < kTokens; ++t) {
        S::store_n(out.y + t * out.stride + v * kLanes, rows_of(out, v), acc[v][t]);
      }
    }
  }

  template <int kVectors, int kTokens>
  [[gnu::always_inline]] static void add_block(const P& panel, const PanelTokens& x, int b,
                                               F (&acc)[kVectors][kTokens]) noexcept {
    I dots[kVectors][kTokens][kSubs];
    for (int t = 0; t < kTokens; ++t) {
      for (int s = 0; s < kSubs; ++s) {
        const int start = Form::start_of(meta_of(x, t, b), panel.offset, s);
        const I all = S::set1_i(static_cast<std::uint32_t>(start));
        for (int v = 0; v < kVectors; ++v) dots[v][t][s] = all;
      }
    }
    if constexpr (MultipliesPairs<S>) {
      add_pairs<kVectors, kTokens>(panel, x, b, dots);
    } else {
      add_dots<kVectors, kTokens>(panel, x, b, dots);
    }
    for (int v = 0; v < kVectors; ++v) {
      F scale[kSubs], min[kSubs];
      for (int s = 0; s < kSubs; ++s) {
        scale[s] = panel.scale[P::at(b * kSubs + s, v)];
        min[s] = Form::kHasMins ? panel.min[P::at(b * kSubs + s, v)] : S::zero();
      }
      for (int t = 0; t < kTokens; ++t) {
        const F product = Form::product(dots[v][t], scale, min, tokens_of(meta_of(x, t, b)));
        acc[v][t] = S::add(acc[v][t], product);
      }
    }
  }

  static typename Form::Tokens tokens_of(const Q8Meta& x) noexcept {
    typename Form::Tokens tokens{S::set1(x.d), {}};
    for (int s = 0; s < kSubs; ++s) tokens.d_sum[s] = S::set1(Form::scaled_sum_of(x, s));
    return tokens;
  }

  template <int kVectors, int kTokens>
  [[gnu::always_inline]] static void add_dots(const P& panel, const PanelTokens& x, int b,
                                              I (&dots)[kVectors][kTokens][kSubs]) noexcept {
    constexpr int kWords = 8 / kSubs;
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      typename S::B w[kVectors];
      for (int v = 0; v < kVectors; ++v) w[v] = S::load_bytes(panel.word(8 * b + k, v));
      for (int t = 0; t < kTokens; ++t) {
        const auto q = S::broadcast4(x.q + t * x.row_bytes + 32 * b + 4 * k);
        for (int v = 0; v < kVectors; ++v) {
          I& sum = dots[v][t][k / kWords];
          sum = Form::dot(sum, w[v], q);
        }
      }
    }
  }

  // An odd last token is its own partner.
  template <int kVectors, int kTokens>
  [[gnu::always_inline]] static void add_pairs(const P& panel, const PanelTokens& x, int b,
                                               I (&dots)[kVectors][kTokens][kSubs]) noexcept {
    constexpr int kPairs = (kTokens + 1) / 2, kSteps = 4 / kSubs;
    const auto partner = [](int p) { return 2 * p + 1 < kTokens ? 2 * p + 1 : 2 * p; };
#pragma GCC unroll 2
    for (int s = 0; s < kSubs; ++s) {
      typename S::Pairs sums[kVectors][kPairs];
      for (int v = 0; v < kVectors; ++v) {
        for (int p = 0; p < kPairs; ++p)
          sums[v][p] = S::join(dots[v][2 * p][s], dots[v][partner(p)][s]);
      }
#pragma GCC unroll 4
      for (int k = s * kSteps; k < (s + 1) * kSteps; ++k) {
        for (int p = 0; p < kPairs; ++p) {
          const std::byte* q = x.q + 32 * b + 8 * k;
          const auto pair = S::load_pair(q + 2 * p * x.row_bytes, q + partner(p) * x.row_bytes);
          for (int v = 0; v < kVectors; ++v) {
            const auto lower = S::load_bytes(panel.word(8 * b + 2 * k, v));
            const auto upper = S::load_bytes(panel.word(8 * b + 2 * k + 1, v));
            sums[v][p] = S::multiply_pairs(sums[v][p], lower, upper, pair);
          }
        }
      }
      for (int v = 0; v < kVectors; ++v) {
        for (int p = 0; p < kPairs; ++p) {
          dots[v][partner(p)][s] = S::second_of(sums[v][p]);
          dots[v][2 * p][s] = S::first_of(sums[v][p]);
        }
      }
    }
  }

  static Q8Meta meta_of(const PanelTokens& x, int t, int b) noexcept {
    return load_as<Q8Meta>(x.meta + static_cast<std::size_t>(t) * x.row_bytes +
                           static_cast<std::size_t>(b) * sizeof(Q8Meta));
  }
};

}  // namespace confab::kernels::generic
