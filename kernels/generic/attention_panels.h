// SPDX-License-Identifier: MIT
// The operands of attention, over the vocabulary S of an instruction set: queries, weights, and
// blocks of K and V, arranged for generic/attention_products.h.
//
// If the instruction set multiplies bytes fast, keys and values whose type is codes with a scale
// for each 32 stay codes. Queries and weights then become whole numbers of 15 and 14 bits, whose
// error is far below that of the codes. Everything else is f32.
#pragma once

#include <cstring>

#include "kernels/attention_tile.h"
#include "kernels/block.h"
#include "kernels/dtype.h"
#include "kernels/generic/attention_products.h"
#include "kernels/generic/rows.h"
#include "kernels/generic/strided.h"
#include "kernels/kernel_table.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

// Rows of the cache whose type is codes with a scale for each 32. Gives attention signed bytes,
// read in place or unpacked.
template <class S, class C>
class CodeRows {
 public:
  using B = typename S::B;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kSlice = 4 * kLanes;  // codes per vector

  static bool has(Dtype dtype) noexcept {
    for (const CacheType& type : kCacheTypes) {
      if (type.dtype == dtype) return type.is_codes;
    }
    return false;
  }

  // Rows have `dim` values. `space` must have kAttentionPad times `dim` bytes.
  CodeRows(Dtype dtype, int dim, std::byte* space) noexcept
      : dtype_(dtype), dim_(dim), space_(space) {}

  // Takes kLanes rows. Writes their scales, which are never negative, to scales[b * kAttentionBlock
  // + row].
  void take(const std::byte* const rows[], float* scales) noexcept {
    rows_ = rows;
    if (dtype_ != Dtype::Q8_0) return unpack(scales);
    const auto row_bytes = static_cast<std::size_t>(dim_ / 32) * sizeof(BlockQ8_0);
    const bool end_to_end = rows[kLanes - 1] == rows[0] + (kLanes - 1) * row_bytes;
    switch (end_to_end ? dim_ / 32 : 0) {
      case 2:
        return read_scales<2>(scales);
      case 4:
        return read_scales<4>(scales);
      case 8:
        return read_scales<8>(scales);
      default:
        return gather_scales(scales);
    }
  }

  // Codes of a taken row, from value d on, where d is a multiple of kSlice. Bytes past the end of
  // the row are undefined.
  B codes(int row, int d) const noexcept {
    if (dtype_ != Dtype::Q8_0) return S::load_bytes(space_ + row * dim_ + d);
    if constexpr (kSlice > 32) {
      if (d + kSlice > dim_) return C::Q8_0::low_codes(rows_[row], d / kSlice);
    }
    return C::Q8_0::codes(rows_[row], d / kSlice);
  }

 private:
  using F = typename S::F;

  // For contiguous rows of kBlocks blocks each.
  template <int kBlocks>
  void read_scales(float* scales) const noexcept {
    constexpr std::size_t kBytes = sizeof(BlockQ8_0);
    F of[kBlocks], parted[kBlocks];
    for (int i = 0; i < kBlocks; ++i) {
      const std::byte* p = rows_[0] + static_cast<unsigned>(i * kLanes) * kBytes;
      of[i] = Strided<S, Stride<kBytes>>::f16(p, kLanes);
    }
    // moves the values of even blocks to the front
    for (int parts = 1; parts < kBlocks; parts *= 2) {
      for (int i = 0; i < kBlocks / 2; ++i)
        S::deinterleave(of[2 * i], of[2 * i + 1], parted[i], parted[kBlocks / 2 + i]);
      for (int i = 0; i < kBlocks; ++i) of[i] = parted[i];
    }
    for (int b = 0; b < kBlocks; ++b) S::store(scales + b * kAttentionBlock, of[b]);
  }
  void gather_scales(float* scales) const noexcept {
    for (int b = 0; b < dim_ / 32; ++b) {
      const std::size_t at = static_cast<unsigned>(b) * sizeof(BlockQ8_0);
      S::store(scales + b * kAttentionBlock, S::gather_f16(rows_, at));
    }
  }

  void unpack(float* scales) noexcept {
    const UnpackChunk unpack_chunk = unpack_of(dtype_);
    Unpacked w;
    for (int r = 0; r < kLanes; ++r) {
      for (int d = 0; d < dim_; d += kUnpackedWeights) {
        const int n = dim_ - d < kUnpackedWeights ? dim_ - d : kUnpackedWeights;
        unpack_chunk(rows_[r] + row_bytes(dtype_, d), n, w);
        for (int b = 0; b < n / 32; ++b)
          put_block(w, b, space_ + r * dim_ + d, scales + (d / 32 + b) * kAttentionBlock + r);
      }
    }
  }
  // Copies block b of w to `codes`. If its scale is negative, negates both.
  static void put_block(const Unpacked& w, int b, std::byte* codes, float* scale) noexcept {
    const float d = w.scale[2 * b];
    *scale = __builtin_fabsf(d);
    std::int8_t q[32];
    for (int i = 0; i < 32; ++i)
      q[i] = d < 0 ? static_cast<std::int8_t>(-w.q[32 * b + i]) : w.q[32 * b + i];
    std::memcpy(codes + 32 * b, q, sizeof q);
  }

  Dtype dtype_;
  int dim_;
  std::byte* space_;
  const std::byte* const* rows_ = nullptr;
};

// The addresses of the rows [from, to) of the block of positions that starts at `begin`. Positions
// before and after that range point to the nearest row within it. The rows from position `after` on
// will be read next.
template <class S>
struct BlockRows {
  BlockRows(const KvRows& kv, int begin, int from, int to, int after) noexcept
      : next(kv.row(after)), row_bytes(kv.row_bytes) {
    const std::byte* row = kv.row(from);
    int left = kv.block_tokens - from % kv.block_tokens;
    for (int j = 0; j < from - begin; ++j) rows[j] = row;
    for (int j = from - begin; j < to - begin; ++j) {
      rows[j] = row;
      row += kv.row_bytes;
      if (--left == 0 && j + 1 < to - begin) {
        row = kv.row(begin + j + 1);
        left = kv.block_tokens;
      }
    }
    for (int j = to - begin; j < kAttentionBlock; ++j) rows[j] = rows[to - begin - 1];
  }
  // Prefetches the next rows that correspond to rows j to j + kLanes - 1.
  void ask_for_next(int j) const noexcept {
    const std::byte* first = next + static_cast<unsigned>(j) * row_bytes;
    for (std::size_t i = 0; i < S::kLanes * row_bytes; i += 64) S::prefetch(first + i);
  }

  const std::byte* rows[kAttentionBlock];
  const std::byte* next;
  std::size_t row_bytes;
};

template <class S, class C>
class AttentionKeys {
 public:
  // panel is [kAttentionBlock, dim] and rows is [kAttentionPad, dim], with dim padded.
  AttentionKeys(Dtype dtype, int dim, float* panel, float* rows) noexcept
      : dtype_(dtype),
        dim_(dim),
        in_codes_(S::kAttentionDots && Codes::has(dtype)),
        panel_(panel),
        rows_(rows),
        codes_(dtype, dim, reinterpret_cast<std::byte*>(rows)) {}

  // Stores a query of `dim` values in its own format, in as many floats. Returns the factor that
  // its scores must be multiplied by.
  float take_query(const float* q, float* out) const noexcept {
    if (in_codes_) return quantise(q, reinterpret_cast<std::byte*>(out));
    for (int d = 0; d < dim_; ++d) out[d] = q[d];
    return 1;
  }

  // Takes the first n_vectors vectors of positions of a block, and prefetches as many rows of the
  // next one.
  void load(const BlockRows<S>& k, int n_vectors) noexcept {
    for (int v = 0; v < n_vectors; ++v) {
      k.ask_for_next(v * kLanes);
      const std::byte* const* rows = k.rows + v * kLanes;
      in_codes_ ? load_codes(rows, v) : load_floats(rows, v);
    }
  }

  // Computes the scores [n_rows, kAttentionBlock] of queries [n_rows, q_stride] with the block.
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
  using Codes = CodeRows<S, C>;
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;
  static constexpr float kLargest = 127.0F * 128.0F;

  float* scales() const noexcept { return panel_ + dim_ / 4 * kAttentionBlock; }

  // Writes the row format of AttentionProducts::Codes.
  float quantise(const float* q, std::byte* out) const noexcept {
    F most = S::zero();
    for (int d = 0; d < dim_; d += kLanes) most = S::max(S::abs(S::load(q + d)), most);
    const float amax = S::max(most);
    const F inverse = S::set1(amax > 0 ? kLargest / amax : 0.0F);
    for (int b = 0; b < dim_; b += 32) {
      std::int32_t sum = 0;
      for (int d = b; d < b + 32; d += kLanes) {
        // Even NaN must map to a value in range, so that the sum does not overflow.
        const F x = S::max(S::round(S::mul(S::load(q + d), inverse)), S::set1(-kLargest));
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
    codes_.take(rows, scales() + v * kLanes);
    auto* panel = reinterpret_cast<std::byte*>(panel_ + v * kLanes);
    for (int d = 0; d < dim_; d += Codes::kSlice) {
      I words[kLanes];
      for (int r = 0; r < kLanes; ++r) words[r] = codes_.codes(r, d);
      S::transpose(words);
      const int n = (dim_ - d) / 4 < kLanes ? (dim_ - d) / 4 : kLanes;
      for (int i = 0; i < n; ++i)
        S::store_bytes(panel + (d + 4 * i) * kAttentionBlock, S::raise_signed(words[i]));
    }
  }

  Dtype dtype_;
  int dim_;
  bool in_codes_;
  float* panel_;
  float* rows_;  // of one vector of positions, before transposing
  Codes codes_;
};

template <class S, class C>
class AttentionValues {
 public:
  // panel is [kAttentionBlock, dim] and rows is [kAttentionPad, dim], with dim padded.
  AttentionValues(Dtype dtype, int dim, float* panel, float* rows) noexcept
      : dtype_(dtype),
        dim_(dim),
        stride_(attention_padded(dim)),
        in_codes_(S::kAttentionDots && Codes::has(dtype)),
        panel_(panel),
        codes_(dtype, dim, reinterpret_cast<std::byte*>(rows)) {}

  // Takes positions [j0, j1) of a block, and prefetches as many rows of the next one.
  void load(const BlockRows<S>& v, int j0, int j1) noexcept {
    for (int j = j0 / kLanes * kLanes; j < j1; j += kLanes) {
      v.ask_for_next(j);
      in_codes_ ? load_codes(v.rows + j, j) : load_floats(v.rows, j, j1);
    }
  }

  // out [n_rows, padded dim] = keep out + sum over positions [j0, j1) of weights [n_rows,
  // kAttentionBlock] times values. n_rows <= S::kLanes. Weights outside [j0, j1) are 0, and the
  // values there are ignored.
  void add(const float* weights, const float* keep, int n_rows, int j0, int j1,
           float* out) const noexcept {
    if (in_codes_) return add_codes(weights, keep, n_rows, j0, j1, out);
    Products::add(typename Products::Floats{weights + j0, kAttentionBlock, panel_ + j0 * stride_,
                                            stride_, j1 - j0},
                  keep, n_rows, stride_ / kLanes, out, stride_);
  }

 private:
  using Products = AttentionProducts<S>;
  using Codes = CodeRows<S, C>;
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;
  static constexpr float kLargest = 127.0F * 128.0F + 127.0F;
  // Next to a weight of 1, a smaller weight has no effect in f32.
  static constexpr float kSmallest = 1e-30F;

  // The panel holds codes, [kAttentionBlock / 4, dim] words; scales, [dim / 32, kAttentionBlock];
  // the same scales with zeros for positions that are not seen; then the scales of the weights, and
  // the weights in the format of Products::Weights.
  std::byte* panel_codes() const noexcept { return reinterpret_cast<std::byte*>(panel_); }
  float* scales() const noexcept { return panel_ + dim_ * (kAttentionBlock / 4); }
  float* seen_scales() const noexcept { return scales() + dim_ / 32 * kAttentionBlock; }
  float* weight_scales() const noexcept { return seen_scales() + dim_ / 32 * kAttentionBlock; }
  std::byte* whole_weights() const noexcept {
    return reinterpret_cast<std::byte*>(weight_scales() + kLanes * dim_ / 32);
  }

  // Loads up to kLanes positions from j on, but none from j1 on.
  void load_floats(const std::byte* const rows[], int j, int j1) const noexcept {
    for (const int end = j + kLanes < j1 ? j + kLanes : j1; j < end; ++j) {
      float* out = panel_ + j * stride_;
      Rows<S>::decode(dtype_, rows[j], dim_, out);
      for (int d = dim_; d < stride_; ++d) out[d] = 0;
    }
  }

  void load_codes(const std::byte* const rows[], int j) noexcept {
    codes_.take(rows, scales() + j);
    for (int r = 0; r < kLanes; r += 4) {
      std::byte* words = panel_codes() + (j + r) * dim_;
      for (int d = 0; d < dim_; d += Codes::kSlice) {
        I quad[4];
        for (int i = 0; i < 4; ++i) quad[i] = codes_.codes(r + i, d);
        S::interleave_bytes(quad);
        std::byte* to = words + 4 * d;
        for (int i = 0; i < 2; ++i) S::store_bytes(to + 4 * i * kLanes, quad[i]);
        if (d + Codes::kSlice > dim_) continue;
        for (int i = 2; i < 4; ++i) S::store_bytes(to + 4 * i * kLanes, quad[i]);
      }
    }
  }

  void add_codes(const float* weights, const float* keep, int n_rows, int j0, int j1,
                 float* out) const noexcept {
    const float* of_values = scales();
    if (j1 - j0 < kAttentionBlock) {
      keep_scales(j0, j1);
      of_values = seen_scales();
    }
    for (int b = 0; b < dim_ / 32; ++b)
      round_weights(weights, n_rows, of_values + b * kAttentionBlock, b);
    Products::add(typename Products::Weights{whole_weights(), weight_scales(), panel_codes(), dim_},
                  keep, n_rows, out, stride_);
  }
  // Scales of positions that a query does not see may be NaN.
  void keep_scales(int j0, int j1) const noexcept {
    for (int at = 0; at < dim_ / 32 * kAttentionBlock; at += kAttentionBlock) {
      for (int j = 0; j < kAttentionBlock; ++j)
        seen_scales()[at + j] = j >= j0 && j < j1 ? scales()[at + j] : 0.0F;
    }
  }
  // Multiplies the weights by the scales of the values of block b, and stores the products as whole
  // numbers in two parts, with their scales.
  void round_weights(const float* weights, int n_rows, const float* scales, int b) const noexcept {
    F tops[kLanes];
    for (int i = 0; i < n_rows; ++i) {
      const float* row = weights + i * kAttentionBlock;
      F top = S::zero();
      for (int j = 0; j < kAttentionBlock; j += kLanes)
        top = S::max(S::mul(S::load(row + j), S::load(scales + j)), top);
      tops[i] = top;
    }
    for (int i = n_rows; i < kLanes; ++i) tops[i] = S::zero();
    const F most = S::max(S::maxima(tops), S::set1(kSmallest));
    S::store(weight_scales() + b * kLanes, S::mul(most, S::set1(1.0F / kLargest)));
    float inverse[kLanes];
    S::store(inverse, S::div(S::set1(kLargest), most));
    for (int i = 0; i < n_rows; ++i, weights += kAttentionBlock) {
      I whole[kAttentionBlock / kLanes];
      for (int j = 0; j < kAttentionBlock; j += kLanes) {
        const F product = S::mul(S::load(weights + j), S::load(scales + j));
        whole[j / kLanes] = S::to_i32(S::mul(product, S::set1(inverse[i])));
      }
      store_parts(whole, whole_weights() + (i * dim_ / 32 + b) * 2 * kAttentionBlock);
    }
  }
  static void store_parts(const I whole[], std::byte* out) noexcept {
    if constexpr (requires { S::store_parts(whole, out, out); }) {
      S::store_parts(whole, out, out + kAttentionBlock);
    } else {
      for (int j = 0; j < kAttentionBlock; j += kLanes) {
        S::store_i8(out + j, S::template shift_right<7>(whole[j / kLanes]));
        S::store_i8(out + kAttentionBlock + j, S::and_(whole[j / kLanes], S::set1_i(127)));
      }
    }
  }

  Dtype dtype_;
  int dim_, stride_;
  bool in_codes_;
  float* panel_;
  Codes codes_;
};

}  // namespace confab::kernels::generic
