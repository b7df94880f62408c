// SPDX-License-Identifier: MIT
// Matrix products in their plainest form: each (row, token) on its own, blocks in order.
#include <cassert>

#include "kernels/block.h"
#include "kernels/scalar/scalar.h"

namespace confab::kernels::scalar {
namespace {

struct Q8Row {
  const std::int8_t* q;
  const std::byte* metas;

  Q8Meta meta(std::int64_t block) const noexcept {
    return load_as<Q8Meta>(metas + block * static_cast<std::int64_t>(sizeof(Q8Meta)));
  }
};

template <typename Weight>
int dot(Weight weight, const std::int8_t* q, int n) noexcept {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += weight(i) * q[i];
  return sum;
}

float block_dot(const BlockQ8_0& b, const Q8Row& x, std::int64_t block) noexcept {
  const int sum = dot([&](int i) { return b.qs[i]; }, x.q + 32 * block, 32);
  return static_cast<float>(sum) * (f16_to_f32(b.d) * x.meta(block).d);
}

float block_dot(const BlockQ4_0& b, const Q8Row& x, std::int64_t block) noexcept {
  const auto weight = [&](int i) { return (b.qs[i % 16] >> 4 * (i / 16) & 15) - 8; };
  const int sum = dot(weight, x.q + 32 * block, 32);
  return static_cast<float>(sum) * (f16_to_f32(b.d) * x.meta(block).d);
}

// The sum over the 8 sub-blocks of a block of 256 whose weight i is quant(i).
template <typename Block, typename Quant>
float k4_dot(const Block& b, Quant quant, const Q8Row& x, std::int64_t block) noexcept {
  const float d = f16_to_f32(b.d), dmin = f16_to_f32(b.dmin);
  std::uint8_t sc[8], m[8];
  unpack_scales_k4(b.scales, sc, m);
  float total = 0;
  for (int j = 0; j < 8; ++j) {
    const Q8Meta meta = x.meta(8 * block + j);
    const int sum = dot([&](int i) { return quant(32 * j + i); }, x.q + 256 * block + 32 * j, 32);
    total += (d * static_cast<float>(sc[j]) * static_cast<float>(sum) -
              dmin * static_cast<float>(m[j]) * meta.sum) *
             meta.d;
  }
  return total;
}

float block_dot(const BlockQ4_K& b, const Q8Row& x, std::int64_t block) noexcept {
  const auto quant = [&](int i) { return b.qs[i / 64 * 32 + i % 32] >> 4 * (i / 32 % 2) & 15; };
  return k4_dot(b, quant, x, block);
}

float block_dot(const BlockQ5_K& b, const Q8Row& x, std::int64_t block) noexcept {
  const auto quant = [&](int i) {
    const int low = b.qs[i / 64 * 32 + i % 32] >> 4 * (i / 32 % 2) & 15;
    return low | (b.qh[i % 32] >> i / 32 & 1) << 4;
  };
  return k4_dot(b, quant, x, block);
}

float block_dot(const BlockQ6_K& b, const Q8Row& x, std::int64_t block) noexcept {
  const auto weight = [&](int i) {
    const int half = i / 128, c = i / 32 % 4, l = i % 32;
    const int low = b.ql[64 * half + 32 * (c % 2) + l] >> 4 * (c / 2) & 15;
    return (low | (b.qh[32 * half + l] >> 2 * c & 3) << 4) - 32;
  };
  float total = 0;
  for (int j = 0; j < 16; ++j) {
    const int sum = dot([&](int i) { return weight(16 * j + i); }, x.q + 256 * block + 16 * j, 16);
    total += static_cast<float>(b.scales[j] * sum) * x.meta(8 * block + j / 2).d;
  }
  return f16_to_f32(b.d) * total;
}

template <typename Block>
float row_dot_q8(const std::byte* row, const std::byte* act, std::int64_t n, int width) noexcept {
  const Q8Row x{reinterpret_cast<const std::int8_t*>(act), act + n};
  float sum = 0;
  for (std::int64_t b = 0; b < n / width; ++b) {
    const auto offset = b * static_cast<std::int64_t>(sizeof(Block));
    sum += block_dot(load_as<Block>(row + offset), x, b);
  }
  return sum;
}

float dot_q8(Dtype dtype, const std::byte* row, const std::byte* x, std::int64_t n) noexcept {
  switch (dtype) {
    case Dtype::Q8_0:
      return row_dot_q8<BlockQ8_0>(row, x, n, 32);
    case Dtype::Q4_0:
      return row_dot_q8<BlockQ4_0>(row, x, n, 32);
    case Dtype::Q4_K:
      return row_dot_q8<BlockQ4_K>(row, x, n, 256);
    case Dtype::Q5_K:
      return row_dot_q8<BlockQ5_K>(row, x, n, 256);
    case Dtype::Q6_K:
      return row_dot_q8<BlockQ6_K>(row, x, n, 256);
    default:
      assert(false);  // q8 activations are for quantised weights
      return 0;
  }
}

// Eight sums, one for each residue of the column modulo 8, added up as a tree at the end.
float dot_f32(Dtype dtype, const std::byte* row, const std::byte* x, std::int64_t n) noexcept {
  constexpr std::int64_t kChunk = 256;
  float w[kChunk], lanes[8] = {};
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t count = n - i < kChunk ? n - i : kChunk;
    decode_row(dtype, row + row_bytes(dtype, i), count, w);
    for (std::int64_t j = 0; j < count; ++j) {
      lanes[j % 8] += w[j] * load_as<float>(x + 4 * (i + j));
    }
  }
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace

void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
            float* y, std::int64_t y_stride) noexcept {
  const auto dot_row = x.format == ActFormat::q8 ? dot_q8 : dot_f32;
  for (std::int64_t r = 0; r < n_rows; ++r) {
    const std::byte* row = w.data + static_cast<std::size_t>(row0 + r) * w.row_bytes;
    for (int t = 0; t < x.n_tokens; ++t) {
      const std::byte* act = x.data + static_cast<std::size_t>(t) * x.row_bytes;
      y[t * y_stride + r] = dot_row(w.dtype, row, act, w.n_cols);
    }
  }
}

}  // namespace confab::kernels::scalar
