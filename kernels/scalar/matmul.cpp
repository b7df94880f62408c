// SPDX-License-Identifier: MIT
// Matrix products in their plainest form: each (row, token) separately, blocks in order.
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

float dot_q8(const WeightRows& w, std::int64_t row, const std::byte* x) noexcept {
  const UnpackChunk unpack_chunk = unpack_of(w.dtype);
  const std::byte* blocks = w.data + static_cast<std::size_t>(row) * w.row_bytes;
  const std::byte* meta = x + w.n_cols;
  Unpacked chunk;
  float sum = 0;
  for (std::int64_t i = 0; i < w.n_cols; i += 32, meta += sizeof(Q8Meta)) {
    const auto at = static_cast<int>(i % kUnpackedWeights);
    if (at == 0) {
      const std::int64_t count = w.n_cols - i < kUnpackedWeights ? w.n_cols - i : kUnpackedWeights;
      unpack_chunk(blocks + row_bytes(w.dtype, i), count, chunk);
    }
    const auto block = load_as<Q8Meta>(meta);
    sum += block_dot(chunk, at, x + i, block) * block.d;
  }
  return sum;
}

float load_f32(const std::byte* x, std::int64_t i) noexcept {
  return load_as<float>(x + 4 * i);
}
float load_bf16(const std::byte* x, std::int64_t i) noexcept {
  return bf16_to_f32(load_as<std::uint16_t>(x + 2 * i));
}

// Eight sums, one for each column modulo 8, added up as a tree at the end. load(x, i) returns
// activation i.
template <float (*load)(const std::byte*, std::int64_t) noexcept>
float dot_float(const WeightRows& w, std::int64_t row, const std::byte* x) noexcept {
  constexpr std::int64_t kChunk = 256;
  float values[kChunk], lanes[8] = {};
  for (std::int64_t i = 0; i < w.n_cols; i += kChunk) {
    const std::int64_t count = w.n_cols - i < kChunk ? w.n_cols - i : kChunk;
    decode_columns(w, row, i, count, values);
    for (std::int64_t j = 0; j < count; ++j) {
      lanes[j % 8] += values[j] * load(x, i + j);
    }
  }
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

using Dot = float (*)(const WeightRows&, std::int64_t, const std::byte*) noexcept;

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
    for (int t = 0; t < x.n_tokens; ++t) {
      const std::byte* act = x.data + static_cast<std::size_t>(t) * x.row_bytes;
      y[t * y_stride + r] = dot_row(w, row0 + r, act);
    }
  }
}

}  // namespace confab::kernels::scalar
