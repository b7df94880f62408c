// SPDX-License-Identifier: MIT
// Each sub-block of a K type first gets its own best scale. The scales of a block are then rounded
// to multiples of a common scale, and the codes are chosen for the rounded scales.
#include "kernels/quantize.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/block.h"

namespace confab::kernels {
namespace {

constexpr float kStep = 0.1F;
constexpr float kTiny = 1e-15F;  // a block with smaller values counts as zero

// Rounds to nearest, ties to even, for |x| < 2^22: a sum of this size has no bits for a fraction.
float round_to_whole(float x) noexcept {
  return (x + 0x1.8p23F) - 0x1.8p23F;
}

constexpr std::size_t kMaxBlock = 32;

// Sums over a block with codes q and weights w.
struct Sums {
  float w = 0, wx = 0, wq = 0, wqq = 0, wqx = 0;
};

void round_to_codes(std::span<const float> x, float inverse, ScaleMinSearch search, float min,
                    float* q) noexcept {
  const auto max_code = static_cast<float>(search.max_code);
  for (std::size_t i = 0; i < x.size(); ++i)
    q[i] = std::clamp(round_to_whole(inverse * (x[i] - min)), 0.0F, max_code);
}

Sums sum_up(std::span<const float> x, std::span<const float> w, const float* q) noexcept {
  Sums s;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float wq = w[i] * q[i];
    s.w += w[i];
    s.wx += w[i] * x[i];
    s.wq += wq;
    s.wqq += wq * q[i];
    s.wqx += wq * x[i];
  }
  return s;
}

// Least squares fit of scale and min, with min <= 0.
ScaleMin fit(const Sums& s) noexcept {
  const float determinant = s.w * s.wqq - s.wq * s.wq;
  if (determinant > 0) {
    const float min = (s.wqq * s.wx - s.wq * s.wqx) / determinant;
    if (min <= 0) return {(s.w * s.wqx - s.wx * s.wq) / determinant, min};
  }
  return {s.wqq > 0 ? s.wqx / s.wqq : 0, 0};
}

float weighted_error(std::span<const float> x, std::span<const float> w, const float* q,
                     ScaleMin at) noexcept {
  float error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float e = at.scale * q[i] + at.min - x[i];
    error += w[i] * e * e;
  }
  return error;
}

struct ScaleFit {
  float scale;
  float gain;  // sum x^4 minus the error
};

ScaleFit fit_scale(std::span<const float> x, float inverse, int zero) noexcept {
  const auto low = -static_cast<float>(zero), high = static_cast<float>(zero - 1);
  float wqx = 0, wqq = 0;
  for (const float v : x) {
    const float q = std::clamp(round_to_whole(inverse * v), low, high);
    const float wq = v * v * q;
    wqx += wq * v;
    wqq += wq * q;
  }
  if (!(wqq > 0)) return {0, 0};
  return {wqx / wqq, wqx / wqq * wqx};
}

constexpr int kBlock = 256;

// Rounds to nearest, ties to even, within [low, high]. NaN gives low. The sum has no bits for a
// fraction.
int round_within(float x, float low, float high) noexcept {
  const float within = x > low ? std::min(x, high) : low;
  return static_cast<int>((within + 0x1.8p23F) - 0x1.8p23F);
}

std::uint16_t to_f16(float x) noexcept {  // never infinity
  return f32_to_f16(std::clamp(x, -65504.0F, 65504.0F));
}

float inverse_of(float x) noexcept {
  return x != 0 ? 1 / x : 0;
}

// Packs the scales and minimums of Q4_K and Q5_K; the inverse of unpack_scales_k4().
void pack_scales_k4(const std::uint8_t sc[8], const std::uint8_t m[8],
                    std::uint8_t packed[12]) noexcept {
  for (int j = 0; j < 4; ++j) {
    packed[j] = static_cast<std::uint8_t>(sc[j] | (sc[j + 4] >> 4) << 6);
    packed[j + 4] = static_cast<std::uint8_t>(m[j] | (m[j + 4] >> 4) << 6);
    packed[j + 8] = static_cast<std::uint8_t>((sc[j + 4] & 15) | (m[j + 4] & 15) << 4);
  }
}

// Fits the scale and minimum of a sub-block. Each value is weighted by its magnitude plus the root
// mean square of all.
ScaleMin fit_sub_block(const float* x, const ScaleMinSearch& search) noexcept {
  float squares = 0;
  for (int i = 0; i < 32; ++i) squares += x[i] * x[i];
  const float rms = std::sqrt(squares / 32);
  float weights[32];
  for (int i = 0; i < 32; ++i) weights[i] = rms + std::fabs(x[i]);
  return find_scale_min({x, 32}, weights, search);
}

// Sets d, dmin and scales of `b`, and computes the code of each weight.
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

// The codes start at 0.
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

void quantize_row(const KernelTable& table, Dtype dtype, const float* x, std::int64_t n,
                  std::byte* out) noexcept {
  switch (dtype) {
    case Dtype::Q4_K:
      return quantize_row_q4_k(x, n, out);
    case Dtype::Q5_K:
      return quantize_row_q5_k(x, n, out);
    case Dtype::Q6_K:
      return quantize_row_q6_k(x, n, out);
    default:
      return table.encode_row(dtype, x, n, out);
  }
}

void quantize_row_q4_k(const float* x, std::int64_t n, std::byte* out) noexcept {
  quantize_blocks<BlockQ4_K>(x, n, out);
}
void quantize_row_q5_k(const float* x, std::int64_t n, std::byte* out) noexcept {
  quantize_blocks<BlockQ5_K>(x, n, out);
}
void quantize_row_q6_k(const float* x, std::int64_t n, std::byte* out) noexcept {
  quantize_blocks<BlockQ6_K>(x, n, out);
}

// Sums the errors directly. Computing them as the rest of sum w x^2 would lose them in its
// rounding.
ScaleMin find_scale_min(std::span<const float> x, std::span<const float> weights,
                        const ScaleMinSearch& search) noexcept {
  assert(x.size() == weights.size() && !x.empty() && x.size() <= kMaxBlock);
  const auto [lowest, highest] = std::minmax_element(x.begin(), x.end());
  const float min = std::min(*lowest, 0.0F), range = *highest - min;
  // all values are equal, and zero or negative
  if (range <= kTiny) return {0, min < -kTiny ? min : 0};
  const auto max_code = static_cast<float>(search.max_code);
  float q[kMaxBlock];
  round_to_codes(x, max_code / range, search, min, q);
  ScaleMin best{range / max_code, min};
  float least = weighted_error(x, weights, q, best);
  const int n_steps = static_cast<int>(std::lround((search.last - search.first) / kStep));
  for (int step = 0; step <= n_steps; ++step) {
    const float tried = max_code + search.first + kStep * static_cast<float>(step);
    round_to_codes(x, tried / (*highest - best.min), search, best.min, q);
    const ScaleMin found = fit(sum_up(x, weights, q));
    if (const float error = weighted_error(x, weights, q, found); error < least) {
      least = error;
      best = found;
    }
  }
  return best;
}

float find_scale(std::span<const float> x, int zero) noexcept {
  float far = 0;
  for (const float v : x) far = std::fabs(v) > std::fabs(far) ? v : far;
  if (std::fabs(far) < kTiny) return 0;
  ScaleFit best = fit_scale(x, -static_cast<float>(zero) / far, zero);
  for (int step = -9; step <= 9; ++step) {
    const float spread = static_cast<float>(zero) + kStep * static_cast<float>(step);
    const ScaleFit found = fit_scale(x, -spread / far, zero);
    if (found.gain > best.gain) best = found;
  }
  return best.scale;
}

}  // namespace confab::kernels
