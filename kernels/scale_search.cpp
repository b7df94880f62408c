// SPDX-License-Identifier: MIT
#include "kernels/scale_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace confab::kernels {
namespace {

constexpr float kStep = 0.1F;
constexpr float kTiny = 1e-15F;  // below it a block is zero

// Ties to even, |x| < 2^22: as the sum is of that order, it has no room for a fraction.
float round_to_whole(float x) noexcept {
  return (x + 0x1.8p23F) - 0x1.8p23F;
}

constexpr std::size_t kMaxBlock = 32;

// Sums over a block with the codes q and the weights w.
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

// Least squares in scale and min, the latter not above 0.
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
  float gain;  // how far the error is below sum x^4
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

}  // namespace

// The errors are summed as such: as what is left of sum w x^2 they would drown in its rounding.
ScaleMin find_scale_min(std::span<const float> x, std::span<const float> weights,
                        const ScaleMinSearch& search) noexcept {
  assert(x.size() == weights.size() && !x.empty() && x.size() <= kMaxBlock);
  const auto [lowest, highest] = std::minmax_element(x.begin(), x.end());
  const float min = std::min(*lowest, 0.0F), range = *highest - min;
  if (range <= kTiny) return {0, min < -kTiny ? min : 0};  // all the same, at or below zero
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
