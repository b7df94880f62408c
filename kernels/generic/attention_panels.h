// SPDX-License-Identifier: MIT
// What attention computes with, over the vocabulary S of an instruction set: queries, and blocks of
// K and V, in the order that generic/attention_products.h wants.
//
// Keys of types that are codes with a scale for each 32 stay codes where the instruction set is
// fast at that, and queries become whole numbers of 15 bits, whose error is far below that of the
// codes. All else is f32.
#pragma once

#include "kernels/generic/attention_products.h"
#include "kernels/generic/rows.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// Where the rows of a block of positions lie: of those in [from, to) of the block at `begin`. Those
// before and past them are the nearest that is.
template <class S>
struct BlockRows {
  BlockRows(const KvRows& kv, int begin, int from, int to) noexcept {
    auto block = static_cast<std::size_t>(from / kv.block_tokens);
    int slot = from % kv.block_tokens;
    for (int j = from - begin; j < to - begin; ++j, ++slot) {
      if (slot == kv.block_tokens) {
        ++block;
        slot = 0;
      }
      rows[j] = kv.base + block * kv.block_stride + static_cast<std::size_t>(slot) * kv.row_bytes;
    }
    for (int j = 0; j < from - begin; ++j) rows[j] = rows[from - begin];
    for (int j = to - begin; j < kAttentionBlock; ++j) rows[j] = rows[to - begin - 1];
  }
  const std::byte* rows[kAttentionBlock];
};

template <class S, class C>
class AttentionKeys {
 public:
  // panel: [kAttentionBlock, dim], rows: [S::kLanes, dim], with padded dims.
  AttentionKeys(Dtype dtype, int dim, float* panel, float* rows) noexcept
      : dtype_(dtype),
        dim_(dim),
        in_codes_(S::kAttentionDots && is_codes(dtype)),
        panel_(panel),
        rows_(rows) {}

  // A query of `dim` as this takes it, in as many floats; gives what its scores must be multiplied
  // by.
  float take_query(const float* q, float* out) const noexcept {
    if (in_codes_) return quantise(q, reinterpret_cast<std::byte*>(out));
    for (int d = 0; d < dim_; ++d) out[d] = q[d];
    return 1;
  }

  // Takes the first n_vectors vectors of positions of a block.
  void load(const BlockRows<S>& k, int n_vectors) noexcept {
    for (int v = 0; v < n_vectors; ++v) {
      const std::byte* const* rows = k.rows + v * kLanes;
      in_codes_ ? load_codes(rows, v) : load_floats(rows, v);
    }
  }

  // The scores [n_rows, kAttentionBlock] of queries [n_rows, q_stride] with the block.
  void scores(const float* q, int q_stride, int n_rows, int n_vectors, float* out) const noexcept {
    if (in_codes_) {
      const auto* codes = reinterpret_cast<const std::byte*>(panel_);
      Products::scores(typename Products::Codes{reinterpret_cast<const std::byte*>(q), 4 * q_stride,
                                                codes, scales(), dim_},
                       n_rows, n_vectors, out);
    } else {
      Products::scores(typename Products::Floats{q, q_stride, panel_, kAttentionBlock, dim_},
                       n_rows, n_vectors, out);
    }
  }

 private:
  using Products = AttentionProducts<S>;
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;
  static constexpr float kLargest = 127.0F * 128.0F;

  static bool is_codes(Dtype dtype) noexcept {
    return dtype == Dtype::Q8_0 || dtype == Dtype::Q5_0 || dtype == Dtype::Q4_0 ||
           dtype == Dtype::IQ4_NL;
  }
  float* scales() const noexcept { return panel_ + dim_ / 4 * kAttentionBlock; }

  // As AttentionProducts::Codes has its rows.
  float quantise(const float* q, std::byte* out) const noexcept {
    F most = S::zero();
    for (int d = 0; d < dim_; d += kLanes) most = S::max(S::abs(S::load(q + d)), most);
    const float amax = S::max(most);
    const F inverse = S::set1(amax > 0 ? kLargest / amax : 0.0F);
    for (int b = 0; b < dim_; b += 32) {
      std::int32_t sum = 0;
      for (int d = b; d < b + 32; d += kLanes) {
        const F x = S::round(S::mul(S::load(q + d), inverse));
        const F high = S::round(S::mul(x, S::set1(1.0F / 128)));
        S::store_i8(out + d, S::to_i32(high));
        S::store_i8(out + dim_ + d, S::to_i32(S::fnma(high, S::set1(128), x)));
        sum -= S::sum(S::to_i32(x));
      }
      std::memcpy(out + 2 * dim_ + b / 8, &sum, sizeof sum);
    }
    return amax > 0 ? amax / kLargest : 1.0F;
  }

  void load_floats(const std::byte* const rows[], int v) noexcept {
    const int stride = attention_padded(dim_);
    for (int r = 0; r < kLanes; ++r) Rows<S>::decode(dtype_, rows[r], dim_, rows_ + r * stride);
    for (int d = 0; d < dim_; d += kLanes) {
      I words[kLanes];
      for (int r = 0; r < kLanes; ++r) words[r] = S::bits(S::load(rows_ + r * stride + d));
      S::transpose(words);
      for (int i = 0; i < kLanes; ++i)
        S::store(panel_ + (d + i) * kAttentionBlock + v * kLanes, S::from_bits(words[i]));
    }
  }

  void load_codes(const std::byte* const rows[], int v) noexcept {
    auto* codes = reinterpret_cast<std::byte*>(rows_);
    const bool in_place = dtype_ == Dtype::Q8_0;
    in_place ? load_scales(rows, v) : unpack(rows, v, codes);
    auto* panel = reinterpret_cast<std::byte*>(panel_ + v * kLanes);
    for (int d = 0; d < dim_; d += 4 * kLanes) {
      I words[kLanes];
      for (int r = 0; r < kLanes; ++r)
        words[r] = in_place ? codes_of(rows[r], d) : S::load_bytes(codes + r * dim_ + d);
      S::transpose(words);
      const int n = (dim_ - d) / 4 < kLanes ? (dim_ - d) / 4 : kLanes;
      for (int i = 0; i < n; ++i)
        S::store_bytes(panel + (d + 4 * i) * kAttentionBlock, S::raise_signed(words[i]));
    }
  }
  // The codes of a row of Q8_0 from value d on.
  I codes_of(const std::byte* row, int d) const noexcept {
    if constexpr (4 * kLanes > 32) {
      if (d + 4 * kLanes > dim_) return C::Q8_0::low_codes(row, d / (4 * kLanes));
    }
    return C::Q8_0::codes(row, d / (4 * kLanes));
  }
  void load_scales(const std::byte* const rows[], int v) noexcept {
    for (int b = 0; b < dim_ / 32; ++b) {
      const std::size_t at = static_cast<std::size_t>(b) * sizeof(BlockQ8_0);
      S::store(scales() + b * kAttentionBlock + v * kLanes, S::gather_f16(rows, at));
    }
  }

  void unpack(const std::byte* const rows[], int v, std::byte* codes) noexcept {
    const UnpackChunk unpack_chunk = unpack_of(dtype_);
    Unpacked w;
    for (int r = 0; r < kLanes; ++r) {
      for (int d = 0; d < dim_; d += kUnpackedWeights) {
        const int n = dim_ - d < kUnpackedWeights ? dim_ - d : kUnpackedWeights;
        unpack_chunk(rows[r] + row_bytes(dtype_, d), n, w);
        std::memcpy(codes + r * dim_ + d, w.q, static_cast<std::size_t>(n));
        for (int b = 0; b < n / 32; ++b)
          scales()[(d / 32 + b) * kAttentionBlock + v * kLanes + r] = w.scale[2 * b];
      }
    }
  }

  Dtype dtype_;
  int dim_;
  bool in_codes_;
  float* panel_;
  float* rows_;  // of one vector of positions, before their words are turned into lanes
};

template <class S>
class AttentionValues {
 public:
  // panel: [kAttentionBlock, dim], pairs: half as much, rows: [2, dim], with a padded dim.
  AttentionValues(Dtype dtype, int dim, float* panel, float* pairs, float* rows) noexcept
      : dtype_(dtype), dim_(dim), panel_(panel), pairs_(pairs), rows_(rows) {}

  // Whether the weights and values of a block that is seen whole are multiplied as bf16.
  bool in_pairs() const noexcept {
    return S::kBf16Dots && dtype_ != Dtype::F32 && dtype_ != Dtype::F16;
  }

  // Takes positions [j0, j1) of a block.
  void load(const BlockRows<S>& v, int j0, int j1) noexcept {
    for (int j = j0; j < j1; ++j) decode(v.rows[j], panel_ + j * stride());
  }
  // Takes a whole block in pairs.
  void load_pairs(const BlockRows<S>& v) noexcept {
    if constexpr (S::kBf16Dots) {
      for (int j = 0; j < kAttentionBlock; j += 2) {
        float* pair = pairs_ + j / 2 * stride();
        decode(v.rows[j], rows_);
        decode(v.rows[j + 1], rows_ + stride());
        for (int d = 0; d < stride(); d += S::kLanes)
          S::store(pair + d, S::pair_bf16(S::load(rows_ + d), S::load(rows_ + stride() + d)));
      }
    }
  }

  // out [n_rows, padded dim] = keep out + the sum over positions [j0, j1) of the weights
  // [n_rows, kAttentionBlock] times the values.
  void add(const float* weights, const float* keep, int n_rows, int j0, int j1,
           float* out) const noexcept {
    Products::add(typename Products::Floats{weights + j0, kAttentionBlock, panel_ + j0 * stride(),
                                            stride(), j1 - j0},
                  keep, n_rows, stride() / S::kLanes, out, stride());
  }
  // The same of a whole block, with weights in pairs in the first half of their rows.
  void add_pairs(const float* weights, const float* keep, int n_rows, float* out) const noexcept {
    if constexpr (S::kBf16Dots) {
      Products::template add<true>(typename Products::Floats{weights, kAttentionBlock, pairs_,
                                                             stride(), kAttentionBlock / 2},
                                   keep, n_rows, stride() / S::kLanes, out, stride());
    }
  }

 private:
  using Products = AttentionProducts<S>;

  int stride() const noexcept { return attention_padded(dim_); }

  void decode(const std::byte* row, float* out) const noexcept {
    if (dtype_ == Dtype::Q8_0) {
      PlainRows<S>::decode_q8_0(row, dim_, out);
    } else {
      Rows<S>::decode(dtype_, row, dim_, out);
    }
    for (int d = dim_; d < stride(); ++d) out[d] = 0;
  }

  Dtype dtype_;
  int dim_;
  float *panel_, *pairs_, *rows_;
};

}  // namespace confab::kernels::generic
