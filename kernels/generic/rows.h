// SPDX-License-Identifier: MIT
// Converts rows of numbers to f32 and packs activations, over the vocabulary S of an instruction
// set. The contracts are those of KernelTable. encode.h does the reverse.
#pragma once

#include <cstring>

#include "kernels/block.h"
#include "kernels/generic/encode.h"
#include "kernels/generic/side_rows.h"
#include "kernels/kernel_table.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

template <class S>
struct PlainRows {
  static constexpr int kLanes = S::kLanes;

  static void decode_f16(const std::byte* in, std::int64_t n, float* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store(out + i, S::load_f16(in + 2 * i));
    if (i < n) S::store_n(out + i, n - i, S::load_f16_n(in + 2 * i, n - i));
  }
  static void decode_bf16(const std::byte* in, std::int64_t n, float* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store(out + i, S::load_bf16(in + 2 * i));
    if (i < n) S::store_n(out + i, n - i, S::load_bf16_n(in + 2 * i, n - i));
  }
  static void decode_q8_0(const std::byte* in, std::int64_t n, float* out) noexcept {
    for (std::int64_t b = 0; b < n; b += 32, in += sizeof(BlockQ8_0)) {
      const auto d = S::set1(S::f16_to_f32(load_as<std::uint16_t>(in)));
      for (int i = 0; i < 32; i += kLanes) {
        S::store(out + b + i, S::mul(d, S::load_i8(in + offsetof(BlockQ8_0, qs) + i)));
      }
    }
  }
};

template <class S>
class Rows {
 public:
  static void decode(Dtype dtype, const std::byte* in, std::int64_t n, float* out) noexcept {
    switch (dtype) {
      case Dtype::F32:
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
        return;
      case Dtype::F16:
        PlainRows<S>::decode_f16(in, n, out);
        return;
      case Dtype::BF16:
        PlainRows<S>::decode_bf16(in, n, out);
        return;
      case Dtype::Q8_0:
        PlainRows<S>::decode_q8_0(in, n, out);
        return;
      default:
        decode_unpacked(dtype, in, n, out);
        return;
    }
  }

  // Columns [c, c + n) of a row of weights. c is a multiple of 256.
  static void decode_columns(const WeightRows& w, std::int64_t row, std::int64_t c, std::int64_t n,
                             float* out) noexcept {
    if (has_side_scales(w.dtype)) return SideRows<S>::decode(w, row, c, n, out);
    const std::byte* first = w.data + static_cast<std::size_t>(row) * w.row_bytes;
    decode(w.dtype, first + row_bytes(w.dtype, c), n, out);
  }
  static void decode_weights(const WeightRows& w, std::int64_t row, float* out) noexcept {
    decode_columns(w, row, 0, w.n_cols, out);
  }

  static void pack(ActFormat format, const float* x, std::int64_t n, std::byte* out) noexcept {
    if (format == ActFormat::f32) {
      std::memcpy(out, x, static_cast<std::size_t>(n) * sizeof(float));
      return;
    }
    if (format == ActFormat::bf16) {
      Encode<S>::row(Dtype::BF16, x, n, out);
      if (n % 2 != 0) std::memset(out + 2 * n, 0, 2);
      return;
    }
    std::byte* meta = out + n;
    for (std::int64_t i = 0; i < n; i += 32, meta += sizeof(Q8Meta))
      pack_block(x + i, out + i, meta);
  }

 private:
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;

  static void decode_unpacked(Dtype dtype, const std::byte* in, std::int64_t n,
                              float* out) noexcept {
    const UnpackChunk unpack_chunk = unpack_of(dtype);
    Unpacked w;
    for (std::int64_t c = 0; c < n; c += kUnpackedWeights) {
      const int count = n - c < kUnpackedWeights ? static_cast<int>(n - c) : kUnpackedWeights;
      unpack_chunk(in + row_bytes(dtype, c), count, w);
      for (int i = 0; i < count; i += kLanes) {
        const F q = S::load_i8(reinterpret_cast<const std::byte*>(w.q) + i);
        const F product = S::mul(S::set1(w.scale[i / 16]), q);
        S::store(out + c + i, S::sub(product, S::set1(w.min[i / 16])));
      }
    }
  }

  static float max_abs(const float* x) noexcept {  // of 32 values
    F m = S::abs(S::load(x));
    for (int i = kLanes; i < 32; i += kLanes) m = S::max(m, S::abs(S::load(x + i)));
    return S::max(m);
  }
  static void pack_block(const float* x, std::byte* q, std::byte* meta) noexcept {
    const float amax = max_abs(x);
    const F inverse = S::set1(amax > 0 ? 127.0F / amax : 0.0F);
    int half_sums[2] = {0, 0};
    for (int i = 0; i < 32; i += kLanes) {
      const auto v = S::to_i32(S::mul(S::load(x + i), inverse));
      S::store_i8(q + i, v);
      half_sums[i / 16] += S::sum(v);
    }
    const float d = amax / 127.0F;
    const int sum = half_sums[0] + half_sums[1];
    const Q8Meta m{d, d * static_cast<float>(sum), sum, half_sums[0]};
    std::memcpy(meta, &m, sizeof m);
  }
};

}  // namespace confab::kernels::generic
