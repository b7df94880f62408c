// SPDX-License-Identifier: MIT
#include <cassert>
#include <cmath>

#include "kernels/scalar/scalar.h"

namespace confab::kernels::scalar {
namespace {

constexpr float kSqrt2OverPi = 0.79788456F;

}  // namespace

void rms_norm(const float* x, const float* weight, std::int64_t n, float eps, float* y) noexcept {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const auto mean = static_cast<float>(sum / static_cast<double>(n));
  const float scale = 1.0F / std::sqrt(mean + eps);
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = x[i] * scale * (weight == nullptr ? 1.0F : weight[i]);
  }
}

void layer_norm(const float* x, const float* weight, std::int64_t n, float eps, float* y) noexcept {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  const auto mean = static_cast<float>(sum / static_cast<double>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(x[i] - mean);
    squares += v * v;
  }
  const auto variance = static_cast<float>(squares / static_cast<double>(n));
  const float scale = 1.0F / std::sqrt(variance + eps);
  for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * scale * weight[i];
}

void rope(float* x, int n_rot, bool interleaved, const float* cosines,
          const float* sines) noexcept {
  const int half = n_rot / 2;
  for (int i = 0; i < half; ++i) {
    float& a = interleaved ? x[2 * i] : x[i];
    float& b = interleaved ? x[2 * i + 1] : x[i + half];
    const float a0 = a, b0 = b;
    a = a0 * cosines[i] - b0 * sines[i];
    b = a0 * sines[i] + b0 * cosines[i];
  }
}

void silu_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
}

void swiglu_oai(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) {
    const float g = gate[i] > 7 ? 7.0F : gate[i];
    const float u = up[i] > 7 ? 7.0F : up[i] < -7 ? -7.0F : up[i];
    y[i] = g / (1.0F + std::exp(-1.702F * g)) * (u + 1.0F);
  }
}

void gelu_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) {
    const float g = gate[i];
    const float inner = kSqrt2OverPi * (g + 0.044715F * g * g * g);
    y[i] = g / (1.0F + std::exp(-2.0F * inner)) * up[i];  // (1 + tanh z) / 2 = 1 / (1 + e^-2z)
  }
}

void sigmoid_mul(const float* gate, const float* x, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] / (1.0F + std::exp(-gate[i]));
}

void delta_rule(const DeltaRule& rule) noexcept {
  for (int i = 0; i < rule.dim; ++i) {
    float* row = rule.state + static_cast<std::int64_t>(i) * rule.dim;
    float recalled = 0, out = 0;
    for (int j = 0; j < rule.dim; ++j) {
      row[j] *= rule.decay;
      recalled += row[j] * rule.k[j];
    }
    const float correction = rule.beta * (rule.v[i] - recalled);
    for (int j = 0; j < rule.dim; ++j) {
      row[j] += correction * rule.k[j];
      out += row[j] * rule.q[j];
    }
    rule.out[i] = out;
  }
}

void add_scaled(const float* x, std::int64_t n, float scale, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] += scale * x[i];
}

void soft_cap(float* x, std::int64_t n, float cap) noexcept {
  for (std::int64_t i = 0; i < n; ++i) x[i] = cap * std::tanh(x[i] / cap);
}

void add(const float* x, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

void softmax(float* x, std::int64_t n) noexcept {
  float m = -INFINITY;
  for (std::int64_t i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = std::exp(x[i] - m);
    sum += static_cast<double>(x[i]);
  }
  const auto inverse = static_cast<float>(1.0 / sum);
  for (std::int64_t i = 0; i < n; ++i) x[i] *= inverse;
}

void hadamard(float* x, std::int64_t n, int block) noexcept {
  assert(block >= 64 && (block & (block - 1)) == 0 && n % block == 0);
  const float scale = 1.0F / std::sqrt(static_cast<float>(block));
  for (float* const end = x + n; x < end; x += block) {
    for (int stride = 1; stride < block; stride *= 2) {
      for (int i = 0; i < block; ++i) {
        if ((i & stride) != 0) continue;
        const float a = x[i], b = x[i + stride];
        x[i] = a + b;
        x[i + stride] = a - b;
      }
    }
    for (int i = 0; i < block; ++i) x[i] *= scale;
  }
}

}  // namespace confab::kernels::scalar
