// SPDX-License-Identifier: MIT
// Weights of any type by f32 activations, over the vocabulary S of an instruction set.
//
// The sum of each (row, token) is one vector, column c in lane c % S::kLanes, added up at the end
// in a fixed order: tiles only change what is done at the same time. Quantised weights are decoded
// by chunks into a buffer that stays in the first-level cache; this is the exact path, whose aim is
// not speed.
#pragma once

#include "kernels/block.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// Loaders: n (or all kLanes) weights from column c of a row on.
template <class S>
struct LoadF32 {
  static constexpr int kBytes = 4;
  static typename S::F load(const std::byte* row, std::int64_t c) noexcept {
    return S::load_f32(row + 4 * c);
  }
  static typename S::F load_n(const std::byte* row, std::int64_t c, std::int64_t n) noexcept {
    return S::load_f32_n(row + 4 * c, n);
  }
};
template <class S>
struct LoadF16 {
  static constexpr int kBytes = 2;
  static typename S::F load(const std::byte* row, std::int64_t c) noexcept {
    return S::load_f16(row + 2 * c);
  }
  static typename S::F load_n(const std::byte* row, std::int64_t c, std::int64_t n) noexcept {
    return S::load_f16_n(row + 2 * c, n);
  }
};
template <class S>
struct LoadBf16 {
  static constexpr int kBytes = 2;
  static typename S::F load(const std::byte* row, std::int64_t c) noexcept {
    return S::load_bf16(row + 2 * c);
  }
  static typename S::F load_n(const std::byte* row, std::int64_t c, std::int64_t n) noexcept {
    return S::load_bf16_n(row + 2 * c, n);
  }
};

template <class S, class Decoder>
class MatmulF32 {
 public:
  static void run(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
                  float* y, std::int64_t y_stride) noexcept {
    for (int t0 = 0; t0 < x.n_tokens; t0 += kTokenTile) {
      const int n_tokens = x.n_tokens - t0 < kTokenTile ? x.n_tokens - t0 : kTokenTile;
      const std::byte* acts = x.data + static_cast<std::size_t>(t0) * x.row_bytes;
      for (std::int64_t r = 0; r < n_rows; r += kRows) {
        Group g{};
        if (r + kRows < n_rows) g.ahead = w.row_bytes * kRows;
        for (int i = 0; i < kRows; ++i) {
          const std::int64_t row = row0 + (r + i < n_rows ? r + i : n_rows - 1);
          g.rows[i] = w.data + static_cast<std::size_t>(row) * w.row_bytes;
        }
        g.n_rows = n_rows - r < kRows ? static_cast<int>(n_rows - r) : kRows;
        g.n_cols = w.n_cols;
        group(w.dtype, g, {x.format, acts, n_tokens, x.row_bytes}, y + t0 * y_stride + r, y_stride);
      }
    }
  }

 private:
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kRows = 4;
  static constexpr int kTokenTile = 16;
  static constexpr std::int64_t kChunk = 256;

  struct Group {  // rows computed together; past the last, it is taken again
    const std::byte* rows[kRows];
    std::size_t ahead;  // from these rows to the next group's, which are fetched early; 0: none
    int n_rows;
    std::int64_t n_cols;
  };
  using Sums = float[kTokenTile][kRows][kLanes];

  static void group(Dtype dtype, const Group& g, const Activations& x, float* y,
                    std::int64_t y_stride) noexcept {
    alignas(64) Sums sums = {};
    switch (dtype) {
      case Dtype::F32:
        add_columns<LoadF32<S>>(g, x, 0, g.n_cols, sums);
        break;
      case Dtype::F16:
        add_columns<LoadF16<S>>(g, x, 0, g.n_cols, sums);
        break;
      case Dtype::BF16:
        add_columns<LoadBf16<S>>(g, x, 0, g.n_cols, sums);
        break;
      default:
        add_decoded(dtype, g, x, sums);
        break;
    }
    for (int t = 0; t < x.n_tokens; ++t) {
      for (int r = 0; r < g.n_rows; ++r) y[t * y_stride + r] = S::sum(S::load(sums[t][r]));
    }
  }

  static void add_decoded(Dtype dtype, const Group& g, const Activations& x, Sums& sums) noexcept {
    alignas(64) float decoded[kRows][kChunk];
    Group chunk{};
    for (std::int64_t c = 0; c < g.n_cols; c += kChunk) {
      const std::int64_t n = g.n_cols - c < kChunk ? g.n_cols - c : kChunk;
      for (int r = 0; r < kRows; ++r) {
        Decoder::decode(dtype, g.rows[r] + row_bytes(dtype, c), n, decoded[r]);
        chunk.rows[r] = reinterpret_cast<const std::byte*>(decoded[r]);
      }
      add_columns<LoadF32<S>>(chunk, x, c, n, sums);
    }
  }

  // Adds n columns from column c of the activations on; rows begin at their first weight.
  template <class Load>
  static void add_columns(const Group& g, const Activations& x, std::int64_t c, std::int64_t n,
                          Sums& sums) noexcept {
    constexpr int kTokens = S::kTileTokens / 2;
    const std::byte* acts = x.data + 4 * c;
    int t = 0;
    for (; t + kTokens <= x.n_tokens; t += kTokens) {
      tile<Load, kTokens>(g, acts + static_cast<std::size_t>(t) * x.row_bytes, x.row_bytes, n,
                          sums + t);
    }
    for (; t < x.n_tokens; ++t) {
      tile<Load, 1>(g, acts + static_cast<std::size_t>(t) * x.row_bytes, x.row_bytes, n, sums + t);
    }
  }

  template <class Load, int kTokens>
  static void tile(const Group& g, const std::byte* acts, std::size_t act_bytes, std::int64_t n,
                   float sums[][kRows][kLanes]) noexcept {
    F acc[kTokens][kRows];
    for (int t = 0; t < kTokens; ++t) {
      for (int r = 0; r < kRows; ++r) acc[t][r] = S::load(sums[t][r]);
    }
    const auto add = [&](auto load_weights, auto load_act) {
      F w[kRows];
      for (int r = 0; r < kRows; ++r) w[r] = load_weights(g.rows[r]);
      for (int t = 0; t < kTokens; ++t) {
        const F x = load_act(acts + static_cast<std::size_t>(t) * act_bytes);
        for (int r = 0; r < kRows; ++r) acc[t][r] = S::fma(w[r], x, acc[t][r]);
      }
    };
    std::int64_t c = 0;
    for (; c + kLanes <= n; c += kLanes) {
      if (kTokens == 1 && g.ahead != 0) {
        for (int r = 0; r < kRows; ++r) S::prefetch(g.rows[r] + g.ahead + c * Load::kBytes);
      }
      add([&](const std::byte* row) { return Load::load(row, c); },
          [&](const std::byte* act) { return S::load_f32(act + 4 * c); });
    }
    if (c < n) {
      add([&](const std::byte* row) { return Load::load_n(row, c, n - c); },
          [&](const std::byte* act) { return S::load_f32_n(act + 4 * c, n - c); });
    }
    for (int t = 0; t < kTokens; ++t) {
      for (int r = 0; r < kRows; ++r) S::store(sums[t][r], acc[t][r]);
    }
  }
};

}  // namespace confab::kernels::generic
