// SPDX-License-Identifier: MIT
// Each sub-block gets the best scale of its own first. Then the scales of a block are themselves
// rounded, to multiples of one, and the codes are chosen for what the scales became.
#include "kernels/quantize_k.h"

#include <algorithm>
#include <cmath>

#include "kernels/block.h"
#include "kernels/scale_search.h"

namespace confab::kernels {
namespace {

constexpr int kBlock = 256;

// The nearest whole number, ties to even; low for NaN. The sum has no room for a fraction.
int round_within(float x, float low, float high) noexcept {
  const float within = x > low ? std::min(x, high) : low;
  return static_cast<int>((within + 0x1.8p23F) - 0x1.8p23F);
}

std::uint16_t to_f16(float x) noexcept {  // without infinity
  return f32_to_f16(std::clamp(x, -65504.0F, 65504.0F));
}

float inverse_of(float x) noexcept {
  return x != 0 ? 1 / x : 0;
}

// The scales and minimums of Q4_K and Q5_K: what unpack_scales_k4() takes apart.
void pack_scales_k4(const std::uint8_t sc[8], const std::uint8_t m[8],
                    std::uint8_t packed[12]) noexcept {
  for (int j = 0; j < 4; ++j) {
    packed[j] = static_cast<std::uint8_t>(sc[j] | (sc[j + 4] >> 4) << 6);
    packed[j + 4] = static_cast<std::uint8_t>(m[j] | (m[j + 4] >> 4) << 6);
    packed[j + 8] = static_cast<std::uint8_t>((sc[j + 4] & 15) | (m[j + 4] & 15) << 4);
  }
}

// A sub-block's scale and minimum. A weight counts as the mean magnitude and its own together.
ScaleMin fit_sub_block(const float* x, const ScaleMinSearch& search) noexcept {
  float squares = 0;
  for (int i = 0; i < 32; ++i) squares += x[i] * x[i];
  const float rms = std::sqrt(squares / 32);
  float weights[32];
  for (int i = 0; i < 32; ++i) weights[i] = rms + std::fabs(x[i]);
  return find_scale_min({x, 32}, weights, search);
}

// d, dmin and scales of `b`, and the code of each weight.
template <class Block>
void fit_block(const float* x, const ScaleMinSearch& search, Block& b,
               std::uint8_t codes[kBlock]) noexcept {
  ScaleMin sub[8];
  float max_scale = 0, max_min = 0;
  for (int j = 0; j < 8; ++j) {
    sub[j] = fit_sub_block(x + 32 * j, search);
    max_scale = std::max(max_scale, sub[j].scale);
    max_min = std::max(max_min, -sub[j].min);
  }
  std::uint8_t sc[8], m[8];
  const float inverse_scale = 63 * inverse_of(max_scale), inverse_min = 63 * inverse_of(max_min);
  for (int j = 0; j < 8; ++j) {
    sc[j] = static_cast<std::uint8_t>(round_within(inverse_scale * sub[j].scale, 0, 63));
    m[j] = static_cast<std::uint8_t>(round_within(inverse_min * -sub[j].min, 0, 63));
  }
  pack_scales_k4(sc, m, b.scales);
  b.d = to_f16(max_scale / 63);
  b.dmin = to_f16(max_min / 63);
  for (int i = 0; i < kBlock; ++i) {
    const int j = i / 32;
    const float scale = f16_to_f32(b.d) * static_cast<float>(sc[j]);
    const float min = f16_to_f32(b.dmin) * static_cast<float>(m[j]);
    const float q = scale != 0 ? (x[i] + min) / scale : 0;
    codes[i] = static_cast<std::uint8_t>(round_within(q, 0, static_cast<float>(search.max_code)));
  }
}

void quantize(const float* x, BlockQ4_K& b) noexcept {
  std::uint8_t codes[kBlock];
  fit_block(x, {.max_code = 15, .first = -1.0F, .last = 1.0F}, b, codes);
  for (int i = 0; i < 128; ++i) {
    const std::uint8_t* low = codes + 64 * (i / 32) + i % 32;
    b.qs[i] = static_cast<std::uint8_t>(low[0] | low[32] << 4);
  }
}

void quantize(const float* x, BlockQ5_K& b) noexcept {
  std::uint8_t codes[kBlock];
  fit_block(x, {.max_code = 31, .first = -0.5F, .last = 1.0F}, b, codes);
  for (int i = 0; i < 128; ++i) {
    const std::uint8_t* low = codes + 64 * (i / 32) + i % 32;
    b.qs[i] = static_cast<std::uint8_t>((low[0] & 15) | (low[32] & 15) << 4);
  }
  for (int l = 0; l < 32; ++l) {
    int bits = 0;
    for (int j = 0; j < 8; ++j) bits |= (codes[32 * j + l] >> 4) << j;
    b.qh[l] = static_cast<std::uint8_t>(bits);
  }
}

// Codes of Q6_K, from 0.
void pack_q6_k(const std::uint8_t codes[kBlock], BlockQ6_K& b) noexcept {
  for (int i = 0; i < 128; ++i) {
    const std::uint8_t* low = codes + 128 * (i / 64) + i % 64;
    b.ql[i] = static_cast<std::uint8_t>((low[0] & 15) | (low[64] & 15) << 4);
  }
  for (int i = 0; i < 64; ++i) {
    const std::uint8_t* q = codes + 128 * (i / 32) + i % 32;
    b.qh[i] = static_cast<std::uint8_t>(q[0] >> 4 | (q[32] >> 4) << 2 | (q[64] >> 4) << 4 |
                                        (q[96] >> 4) << 6);
  }
}

void quantize(const float* x, BlockQ6_K& b) noexcept {
  float scales[16], far = 0;
  for (int j = 0; j < 16; ++j) {
    scales[j] = find_scale({x + 16 * j, 16}, 32);
    far = std::fabs(scales[j]) > std::fabs(far) ? scales[j] : far;
  }
  b.d = to_f16(far / -128);
  const float inverse = -128 * inverse_of(far);
  std::uint8_t codes[kBlock];
  for (int j = 0; j < 16; ++j) {
    b.scales[j] = static_cast<std::int8_t>(round_within(inverse * scales[j], -128, 127));
    const float inverse_scale = inverse_of(f16_to_f32(b.d) * static_cast<float>(b.scales[j]));
    for (int i = 16 * j; i < 16 * j + 16; ++i) {
      codes[i] = static_cast<std::uint8_t>(round_within(x[i] * inverse_scale, -32, 31) + 32);
    }
  }
  pack_q6_k(codes, b);
}

template <class Block>
void quantize_blocks(const float* x, std::int64_t n, std::byte* out) noexcept {
  for (std::int64_t i = 0; i < n; i += kBlock, out += sizeof(Block)) {
    Block b;
    quantize(x + i, b);
    std::memcpy(out, &b, sizeof b);
  }
}

}  // namespace

void quantize_row_q4_k(const float* x, std::int64_t n, std::byte* out) noexcept {
  quantize_blocks<BlockQ4_K>(x, n, out);
}
void quantize_row_q5_k(const float* x, std::int64_t n, std::byte* out) noexcept {
  quantize_blocks<BlockQ5_K>(x, n, out);
}
void quantize_row_q6_k(const float* x, std::int64_t n, std::byte* out) noexcept {
  quantize_blocks<BlockQ6_K>(x, n, out);
}

}  // namespace confab::kernels
