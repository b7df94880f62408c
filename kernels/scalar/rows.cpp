// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/block.h"
#include "kernels/scalar/scalar.h"
#include "kernels/unpack/side.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::scalar {
namespace {

float max_abs(const float* x, std::int64_t n) noexcept {
  float m = 0;
  for (std::int64_t i = 0; i < n; ++i) m = std::fabs(x[i]) > m ? std::fabs(x[i]) : m;
  return m;
}

Q8Meta pack_block(const float* x, std::int8_t* q) noexcept {
  const float amax = max_abs(x, kQ8Block);
  const float inverse = amax > 0 ? 127.0F / amax : 0.0F;
  int half_sums[2] = {0, 0};
  for (int i = 0; i < kQ8Block; ++i) {
    q[i] = static_cast<std::int8_t>(round_to_int(x[i] * inverse));
    half_sums[i / 16] += q[i];
  }
  const float d = amax / 127.0F;
  const int sum = half_sums[0] + half_sums[1];
  return {d, d * static_cast<float>(sum), sum, half_sums[0]};
}

void decode_unpacked(Dtype dtype, const std::byte* in, std::int64_t n, float* out) noexcept {
  const UnpackChunk unpack_chunk = unpack_of(dtype);
  Unpacked w;
  for (std::int64_t c = 0; c < n; c += kUnpackedWeights) {
    const std::int64_t count = n - c < kUnpackedWeights ? n - c : kUnpackedWeights;
    unpack_chunk(in + row_bytes(dtype, c), count, w);
    for (std::int64_t i = 0; i < count; ++i) {
      out[c + i] = w.scale[i / 16] * static_cast<float>(w.q[i]) - w.min[i / 16];
    }
  }
}

// Applies a conversion from 16 bits to each of n numbers.
void widen(const std::byte* in, std::int64_t n, float* out,
           float (*convert)(std::uint16_t) noexcept) noexcept {
  for (std::int64_t i = 0; i < n; ++i) out[i] = convert(load_as<std::uint16_t>(in + 2 * i));
}

}  // namespace

void pack_row(ActFormat format, const float* x, std::int64_t n, std::byte* out) noexcept {
  if (format == ActFormat::f32) {
    std::memcpy(out, x, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  if (format == ActFormat::bf16) {
    encode_row(Dtype::BF16, x, n, out);
    if (n % 2 != 0) std::memset(out + 2 * n, 0, 2);
    return;
  }
  std::int8_t q[kQ8Block];
  for (std::int64_t b = 0; b < n / kQ8Block; ++b) {
    const Q8Meta meta = pack_block(x + b * kQ8Block, q);
    std::memcpy(out + b * kQ8Block, q, sizeof q);
    std::memcpy(out + n + b * static_cast<std::int64_t>(sizeof meta), &meta, sizeof meta);
  }
}

void decode_row(Dtype dtype, const std::byte* in, std::int64_t n, float* out) noexcept {
  switch (dtype) {
    case Dtype::F32:
      std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
      return;
    case Dtype::F16:
      widen(in, n, out, f16_to_f32);
      return;
    case Dtype::BF16:
      widen(in, n, out, bf16_to_f32);
      return;
    default:
      decode_unpacked(dtype, in, n, out);
      return;
  }
}

void decode_columns(const WeightRows& w, std::int64_t row, std::int64_t c, std::int64_t n,
                    float* out) noexcept {
  const std::byte* codes = w.data + static_cast<std::size_t>(row) * w.row_bytes;
  if (!has_side_scales(w.dtype)) return decode_row(w.dtype, codes + row_bytes(w.dtype, c), n, out);
  for_each_group(w, row, c, n, [&](const SideGroup& group) {
    for (std::int64_t i = group.first; i < group.last; ++i)
      out[i - c] = std::fma(side_code(w.dtype, codes, i), group.scale, group.bias);
  });
}

void decode_weights(const WeightRows& w, std::int64_t row, float* out) noexcept {
  decode_columns(w, row, 0, w.n_cols, out);
}

}  // namespace confab::kernels::scalar
