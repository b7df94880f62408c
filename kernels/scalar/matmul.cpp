// SPDX-License-Identifier: MIT
// Matrix products in their plainest form: each (row, token) on its own, blocks in order.
#include "kernels/block.h"
#include "kernels/scalar/scalar.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::scalar {
namespace {

// The sum over 32 weights and activations, in units of the activations' scale.
float block_dot(const Unpacked& w, int at, const std::byte* q, const Q8Meta& meta) noexcept {
  float total = 0;
  for (int j = at / 16; j < at / 16 + 2; ++j) {
    int sum = 0;
    for (int i = 16 * j; i < 16 * j + 16; ++i) sum += w.q[i] * load_as<std::int8_t>(q + i - at);
    total += w.scale[j] * static_cast<float>(sum);
    const int x_sum = j == at / 16 ? meta.sum_lo : meta.sum - meta.sum_lo;
    total -= w.min[j] * static_cast<float>(x_sum);
  }
  return total;
}

float dot_q8(Dtype dtype, const std::byte* row, const std::byte* x, std::int64_t n) noexcept {
  const UnpackChunk unpack_chunk = unpack_of(dtype);
  const std::byte* meta = x + n;
  Unpacked w;
  float sum = 0;
  for (std::int64_t i = 0; i < n; i += 32, meta += sizeof(Q8Meta)) {
    const auto at = static_cast<int>(i % kUnpackedWeights);
    if (at == 0) {
      const std::int64_t count = n - i < kUnpackedWeights ? n - i : kUnpackedWeights;
      unpack_chunk(row + row_bytes(dtype, i), count, w);
    }
    const auto block = load_as<Q8Meta>(meta);
    sum += block_dot(w, at, x + i, block) * block.d;
  }
  return sum;
}

float load_f32(const std::byte* x, std::int64_t i) noexcept {
  return load_as<float>(x + 4 * i);
}
float load_bf16(const std::byte* x, std::int64_t i) noexcept {
  return bf16_to_f32(load_as<std::uint16_t>(x + 2 * i));
}

// Eight sums, one for each residue of the column modulo 8, added up as a tree at the end. load(x,
// i) is activation i.
template <float (*load)(const std::byte*, std::int64_t) noexcept>
float dot_float(Dtype dtype, const std::byte* row, const std::byte* x, std::int64_t n) noexcept {
  constexpr std::int64_t kChunk = 256;
  float w[kChunk], lanes[8] = {};
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t count = n - i < kChunk ? n - i : kChunk;
    decode_row(dtype, row + row_bytes(dtype, i), count, w);
    for (std::int64_t j = 0; j < count; ++j) {
      lanes[j % 8] += w[j] * load(x, i + j);
    }
  }
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

using Dot = float (*)(Dtype, const std::byte*, const std::byte*, std::int64_t) noexcept;

Dot dot_of(ActFormat format) noexcept {
  switch (format) {
    case ActFormat::f32:
      return dot_float<load_f32>;
    case ActFormat::bf16:
      return dot_float<load_bf16>;
    case ActFormat::q8:
      return dot_q8;
  }
  __builtin_trap();
}

}  // namespace

void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
            float* y, std::int64_t y_stride) noexcept {
  const Dot dot_row = dot_of(x.format);
  for (std::int64_t r = 0; r < n_rows; ++r) {
    const std::byte* row = w.data + static_cast<std::size_t>(row0 + r) * w.row_bytes;
    for (int t = 0; t < x.n_tokens; ++t) {
      const std::byte* act = x.data + static_cast<std::size_t>(t) * x.row_bytes;
      y[t * y_stride + r] = dot_row(w.dtype, row, act, w.n_cols);
    }
  }
}

}  // namespace confab::kernels::scalar
