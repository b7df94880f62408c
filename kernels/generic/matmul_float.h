// SPDX-License-Identifier: MIT
// Weights of any type times f32 activations, and BF16 weights times bf16 activations, over the
// vocabulary S of an instruction set.
//
// A tile is kRows rows by S::kFloatTileTokens tokens. The sum of each pair stays in a register,
// with one column per lane (two for bf16). Lanes are added up at the end of a chunk of kChunkSteps
// vectors, and chunks in their order, so the bits of a sum depend only on its row and token. For a
// few tokens, weights are read where they are in the file. For many, a chunk of a block of rows is
// copied to an aligned panel, converted to f32 if that is what gets multiplied. The panel stays in
// the second-level cache while one tile of tokens after another passes through the first-level
// cache.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/block.h"
#include "kernels/generic/side_rows.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// How to load a vector of weights (whole, or its first n followed by zeros), and how to multiply it
// by as many activations. kColumns is the number of weights per vector. InPanel describes the same
// for what store() writes.
template <class S>
struct F32Acts {
  static constexpr int kColumns = S::kLanes;
  static constexpr int kActBytes = 4;
  using X = typename S::F;
  static X acts(const std::byte* p) noexcept { return S::load_f32(p); }
  static X acts_n(const std::byte* p, std::int64_t n) noexcept { return S::load_f32_n(p, n); }
  static void store(float* p, typename S::F w) noexcept { S::store(p, w); }
  static typename S::F add(typename S::F sum, typename S::F w, X x) noexcept {
    return S::fma(w, x, sum);
  }
};
template <class S>
struct F32Product : F32Acts<S> {
  using InPanel = F32Product;
  static constexpr int kBytes = 4;
  static typename S::F load(const std::byte* p) noexcept { return S::load_f32(p); }
  static typename S::F load_n(const std::byte* p, std::int64_t n) noexcept {
    return S::load_f32_n(p, n);
  }
};
template <class S>
struct F16Product : F32Acts<S> {
  using InPanel = F32Product<S>;
  static constexpr int kBytes = 2;
  static typename S::F load(const std::byte* p) noexcept { return S::load_f16(p); }
  static typename S::F load_n(const std::byte* p, std::int64_t n) noexcept {
    return S::load_f16_n(p, n);
  }
};
template <class S>
struct Bf16Product : F32Acts<S> {
  using InPanel = F32Product<S>;
  static constexpr int kBytes = 2;
  static typename S::F load(const std::byte* p) noexcept { return S::load_bf16(p); }
  static typename S::F load_n(const std::byte* p, std::int64_t n) noexcept {
    return S::load_bf16_n(p, n);
  }
};
template <class S>
struct Bf16ByBf16Product {
  using InPanel = Bf16ByBf16Product;
  static constexpr int kColumns = 2 * S::kLanes;
  static constexpr int kActBytes = 2;
  static constexpr int kBytes = 2;
  using X = typename S::F;
  static X acts(const std::byte* p) noexcept { return load(p); }
  static X acts_n(const std::byte* p, std::int64_t n) noexcept { return load_n(p, n); }
  static X load(const std::byte* p) noexcept { return S::load_f32(p); }
  static X load_n(const std::byte* p, std::int64_t n) noexcept {
    alignas(64) std::byte pairs[sizeof(X)] = {};
    std::memcpy(pairs, p, static_cast<std::size_t>(2 * n));
    return load(pairs);
  }
  static void store(float* p, X w) noexcept { S::store(p, w); }
  static typename S::F add(typename S::F sum, X w, X x) noexcept { return S::dot_bf16(sum, w, x); }
};

template <class S, class Decoder>
class MatmulFloat {
 public:
  static void run(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
                  float* y, std::int64_t y_stride) noexcept {
    const Job job{w, row0, n_rows, x, y, y_stride};
    switch (w.dtype) {
      case Dtype::F32:
        return plain<F32Product<S>>(job);
      case Dtype::F16:
        return plain<F16Product<S>>(job);
      case Dtype::BF16:
        return x.format == ActFormat::bf16 ? plain<Bf16ByBf16Product<S>>(job)
                                           : plain<Bf16Product<S>>(job);
      default:  // quantised weights times f32 activations
        if (has_side_scales(w.dtype) && x.n_tokens == 1)
          return SideRows<S>::with_codes(w.dtype, [&](auto codes) { side<decltype(codes)>(job); });
        return by_panels<F32Product<S>>(
            job, [&](std::int64_t row, std::int64_t c, std::int64_t n, float* out) {
              Decoder::decode_columns(w, row, c, n, out);
            });
    }
  }

 private:
  using F = typename S::F;
  static constexpr int kTokens = S::kFloatTileTokens;
  static constexpr int kRows = 4;
  static constexpr int kPanelRows = 32;
  static constexpr int kChunkSteps = 64;
  static constexpr int kPanelFloats = kChunkSteps * S::kLanes;
  static_assert(kPanelFloats % 256 == 0, "a chunk has whole blocks of every type");

  struct Job {
    const WeightRows& w;
    std::int64_t row0;
    std::int64_t n_rows;
    const Activations& x;
    float* y;
    std::int64_t y_stride;

    // The address of column c of row row0 + r, with `bytes` bytes per weight.
    const std::byte* at(std::int64_t r, std::int64_t c, int bytes) const noexcept {
      return w.data + static_cast<std::size_t>(row0 + r) * w.row_bytes + c * bytes;
    }
  };
  // Rows [row, row + n_rows) by columns [c, c + n).
  struct Block {
    std::int64_t row, n_rows, c, n;
  };
  // Where the weights of a block are: row i is at data + i * stride.
  struct Source {
    const std::byte* data;
    std::size_t stride;
    std::size_t ahead;  // distance from a tile's rows to the rows to prefetch; 0: none
  };

  template <class Product>
  static constexpr std::int64_t kChunk = std::int64_t{kChunkSteps} * Product::kColumns;

  // Calls call(Block) for each chunk of each n_rows rows.
  template <class Product, typename Call>
  static void for_each_block(const Job& job, std::int64_t n_rows, Call call) noexcept {
    for (std::int64_t r = 0; r < job.n_rows; r += n_rows) {
      for (std::int64_t c = 0; c < job.w.n_cols; c += kChunk<Product>) {
        call(Block{r, job.n_rows - r < n_rows ? job.n_rows - r : n_rows, c,
                   job.w.n_cols - c < kChunk<Product> ? job.w.n_cols - c : kChunk<Product>});
      }
    }
  }

  template <class Product>
  static void plain(const Job& job) noexcept {
    if (job.x.n_tokens > kTokens) {
      return by_panels<typename Product::InPanel>(
          job, [&](std::int64_t row, std::int64_t c, std::int64_t n, float* out) {
            copy<Product>(job.at(row - job.row0, c, Product::kBytes), n, out);
          });
    }
    // Finishes a row before starting the next.
    for_each_block<Product>(job, kRows, [&](const Block& b) {
      const std::size_t ahead = b.row + kRows < job.n_rows ? kRows * job.w.row_bytes : 0;
      add_tokens<Product>(job, b, {job.at(b.row, b.c, Product::kBytes), job.w.row_bytes, ahead});
    });
  }

  // fill(row of the weights, c, n, out) writes columns [c, c + n) of a row to a panel. With few
  // tokens the panel stays in the first-level cache.
  template <class InPanel, typename Fill>
  static void by_panels(const Job& job, Fill fill) noexcept {
    // Slightly more than a chunk; otherwise rows would share a few sets of the first-level cache.
    constexpr std::size_t kStride = kPanelFloats + 16;
    alignas(64) float panel[kPanelRows * kStride];
    const int n_rows = job.x.n_tokens > kTokens ? kPanelRows : kRows;
    for_each_block<InPanel>(job, n_rows, [&](const Block& b) {
      for (std::int64_t r = 0; r < b.n_rows; ++r) {
        fill(job.row0 + b.row + r, b.c, b.n, panel + static_cast<std::size_t>(r) * kStride);
      }
      add_tokens<InPanel>(job, b,
                          {reinterpret_cast<const std::byte*>(panel), kStride * sizeof(float), 0});
    });
  }

  template <class Product>
  static void copy(const std::byte* p, std::int64_t n, float* out) noexcept {
    std::int64_t i = 0;
    for (; i + Product::kColumns <= n; i += Product::kColumns, out += S::kLanes) {
      Product::store(out, Product::load(p + i * Product::kBytes));
    }
    if (i < n) Product::store(out, Product::load_n(p + i * Product::kBytes, n - i));
  }

  template <class Product>
  static void add_tokens(const Job& job, const Block& b, const Source& weights) noexcept {
    for_each_tile(job.x.n_tokens,
                  [&](int t, auto n_tokens) { add_rows<Product, n_tokens()>(job, b, weights, t); });
  }

  // Calls call(first token, number of tokens as a constant).
  template <typename Call>
  static void for_each_tile(int n_tokens, Call call) noexcept {
    int t = 0;
    for (; t + kTokens <= n_tokens; t += kTokens) call(t, std::integral_constant<int, kTokens>());
    for (; t < n_tokens; ++t) call(t, std::integral_constant<int, 1>());
  }

  // The rows of a tile, starting at its first column. The last row is repeated if there are fewer.
  template <class Product>
  struct Rows {
    const std::byte* at[kRows];
    std::size_t ahead;

    // The end of the columns of [c, n) that can be loaded with what is known at c; here all of
    // them.
    std::int64_t begin_group(std::int64_t, std::int64_t n) const noexcept { return n; }
    auto load(int r, std::int64_t c) const noexcept {
      return Product::load(at[r] + c * Product::kBytes);
    }
    auto load_n(int r, std::int64_t c, std::int64_t n) const noexcept {
      return Product::load_n(at[r] + c * Product::kBytes, n);
    }
    void prefetch(std::int64_t c) const noexcept {
      if (ahead == 0) return;
      for (const std::byte* row : at) S::prefetch(row + ahead + c * Product::kBytes);
    }
  };

  template <class Product, int kTileTokens>
  static void add_rows(const Job& job, const Block& b, const Source& weights, int t) noexcept {
    for (std::int64_t r = 0; r < b.n_rows; r += kRows) {
      Rows<Product> rows{};
      rows.ahead = weights.ahead;
      for (int i = 0; i < kRows; ++i) {
        const std::int64_t row = r + i < b.n_rows ? r + i : b.n_rows - 1;
        rows.at[i] = weights.data + static_cast<std::size_t>(row) * weights.stride;
      }
      tile<Product, kTileTokens>(
          job, {b.row + r, b.n_rows - r < kRows ? b.n_rows - r : kRows, b.c, b.n}, rows, t);
    }
  }

  // For one token: codes become numbers in registers.
  template <class Codes>
  static void side(const Job& job) noexcept {
    for_each_block<F32Product<S>>(job, kRows, [&](const Block& b) {
      SideTile<S, Codes, kRows> rows(job.w, job.row0 + b.row, b.n_rows, b.c);
      tile<F32Product<S>, 1>(job, b, rows, 0);
    });
  }

  // Adds the contribution of a block of at most kRows rows for kTileTokens tokens from t on.
  template <class Product, int kTileTokens, class TileRows>
  static void tile(const Job& job, const Block& b, TileRows& rows, int t) noexcept {
    const std::byte* acts =
        job.x.data + static_cast<std::size_t>(t) * job.x.row_bytes + b.c * Product::kActBytes;
    F acc[kTileTokens][kRows];
    for (int i = 0; i < kTileTokens; ++i) {
      for (int r = 0; r < kRows; ++r) acc[i][r] = S::zero();
    }
    const auto add = [&](auto load_weights, auto load_acts) {
      typename Product::X x[kTileTokens];
      for (int i = 0; i < kTileTokens; ++i) {
        x[i] = load_acts(acts + static_cast<std::size_t>(i) * job.x.row_bytes);
      }
      for (int r = 0; r < kRows; ++r) {
        const auto w = load_weights(r);
        for (int i = 0; i < kTileTokens; ++i) acc[i][r] = Product::add(acc[i][r], w, x[i]);
      }
    };
    for (std::int64_t c = 0, end; c < b.n; c = end) {
      end = rows.begin_group(c, b.n);
      for (; c + Product::kColumns <= end; c += Product::kColumns) {
        if (kTileTokens == 1) rows.prefetch(c);
        add([&](int r) { return rows.load(r, c); },
            [&](const std::byte* act) { return Product::acts(act + c * Product::kActBytes); });
      }
      if (c == end) continue;
      add([&](int r) { return rows.load_n(r, c, end - c); },
          [&](const std::byte* act) {
            return Product::acts_n(act + c * Product::kActBytes, end - c);
          });
    }
    for (int i = 0; i < kTileTokens; ++i) put(acc[i], job, b, t + i);
  }

  // Adds up the lanes of a token's sums.
  static void put(const F acc[kRows], const Job& job, const Block& b, int t) noexcept {
    float sums[kRows];
    S::sums_of_4(acc, sums);
    float* y = job.y + t * job.y_stride + b.row;
    for (int r = 0; r < b.n_rows; ++r) y[r] = b.c == 0 ? sums[r] : y[r] + sums[r];
  }
};

}  // namespace confab::kernels::generic
