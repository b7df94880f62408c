// SPDX-License-Identifier: MIT
// Rows of the cache whose type is codes with a scale for each 32, as attention takes them: signed
// bytes where they lie, or unpacked; over the vocabulary S of an instruction set and its codes C.
#pragma once

#include <cstring>

#include "kernels/attention_tile.h"
#include "kernels/block.h"
#include "kernels/cache_type.h"
#include "kernels/generic/strided.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

template <class S, class C>
class CodeRows {
 public:
  using B = typename S::B;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kSlice = 4 * kLanes;  // codes of a vector

  static bool has(Dtype dtype) noexcept {
    for (const CacheType& type : kCacheTypes) {
      if (type.dtype == dtype) return type.is_codes;
    }
    return false;
  }

  // Rows of dim values; space: kAttentionPad times as many bytes.
  CodeRows(Dtype dtype, int dim, std::byte* space) noexcept
      : dtype_(dtype), dim_(dim), space_(space) {}

  // Takes kLanes rows. Their scales, none below 0, go to scales[b * kAttentionBlock + row].
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

  // The codes of a row that was taken, from value d on, a multiple of kSlice; past its end there
  // may be anything.
  B codes(int row, int d) const noexcept {
    if (dtype_ != Dtype::Q8_0) return S::load_bytes(space_ + row * dim_ + d);
    if constexpr (kSlice > 32) {
      if (d + kSlice > dim_) return C::Q8_0::low_codes(rows_[row], d / kSlice);
    }
    return C::Q8_0::codes(rows_[row], d / kSlice);
  }

 private:
  using F = typename S::F;

  // Of rows that lie end to end and have kBlocks blocks each.
  template <int kBlocks>
  void read_scales(float* scales) const noexcept {
    constexpr std::size_t kBytes = sizeof(BlockQ8_0);
    F of[kBlocks], parted[kBlocks];
    for (int i = 0; i < kBlocks; ++i) {
      const std::byte* p = rows_[0] + static_cast<unsigned>(i * kLanes) * kBytes;
      of[i] = Strided<S, Stride<kBytes>>::f16(p, kLanes);
    }
    for (int parts = 1; parts < kBlocks; parts *= 2) {  // what belongs to even blocks goes first
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
  // Block b of w to its place among `codes`; where its scale is below 0, both are negated.
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

}  // namespace confab::kernels::generic
