// SPDX-License-Identifier: MIT
#include <cassert>
#include <cmath>

#include "kernels/block.h"
#include "kernels/scalar/scalar.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::scalar {
namespace {

// The nearest whole number, ties to even, for |x| < 2^22; any value for others. Adding 1.5 * 2^23
// leaves it in the low bits.
int round_to_int(float x) noexcept {
  return static_cast<int>(bits_of(x + 0x1.8p23F)) - static_cast<int>(0x4b400000);
}

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
  const auto lo = static_cast<float>(half_sums[0]), hi = static_cast<float>(half_sums[1]);
  return {amax / 127.0F, lo + hi, lo, hi};
}

// The scale is rounded first and the weights to multiples of what it became.
BlockQ8_0 encode_q8_0(const float* x) noexcept {
  BlockQ8_0 b;
  const float d = max_abs(x, 32) / 127.0F;
  b.d = f32_to_f16(d < 65504.0F ? d : 65504.0F);
  const float rounded = f16_to_f32(b.d);
  const float inverse = rounded > 0 ? 1.0F / rounded : 0.0F;
  for (int i = 0; i < 32; ++i) {
    const float v = x[i] * inverse;
    b.qs[i] = static_cast<std::int8_t>(round_to_int(v < -127 ? -127.0F : v > 127 ? 127.0F : v));
  }
  return b;
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

void narrow(const float* in, std::int64_t n, std::byte* out,
            std::uint16_t (*convert)(float) noexcept) noexcept {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint16_t h = convert(in[i]);
    std::memcpy(out + 2 * i, &h, sizeof h);
  }
}

}  // namespace

void pack_row(ActFormat format, const float* x, std::int64_t n, std::byte* out) noexcept {
  if (format == ActFormat::f32) {
    std::memcpy(out, x, static_cast<std::size_t>(n) * sizeof(float));
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

void encode_row(Dtype dtype, const float* in, std::int64_t n, std::byte* out) noexcept {
  switch (dtype) {
    case Dtype::F32:
      std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
      return;
    case Dtype::F16:
      narrow(in, n, out, f32_to_f16);
      return;
    case Dtype::BF16:
      narrow(in, n, out, f32_to_bf16);
      return;
    case Dtype::Q8_0:
      for (std::int64_t i = 0; i < n; i += 32, out += sizeof(BlockQ8_0)) {
        const BlockQ8_0 b = encode_q8_0(in + i);
        std::memcpy(out, &b, sizeof b);
      }
      return;
    default:
      assert(false);  // no encoder for this type
      return;
  }
}

}  // namespace confab::kernels::scalar
