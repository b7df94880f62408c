// SPDX-License-Identifier: MIT
// Operations on vectors of floats, over the vocabulary S. The contracts are those of KernelTable.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/generic/exp.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

template <class S>
class Vector {
 public:
  static void rms_norm(const float* x, const float* weight, std::int64_t n, float eps,
                       float* y) noexcept {
    D low = S::zero_d(), high = S::zero_d();
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F v = load(x + i, count);
      low = S::fma(S::low(v), S::low(v), low);
      high = S::fma(S::high(v), S::high(v), high);
    });
    const auto mean = static_cast<float>(S::sum(S::add(low, high)) / static_cast<double>(n));
    const F scale = S::set1(1.0F / __builtin_sqrtf(mean + eps));
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F v = S::mul(load(x + i, count), scale);
      store(y + i, count, weight == nullptr ? v : S::mul(v, load(weight + i, count)));
    });
  }

  static void layer_norm(const float* x, const float* weight, std::int64_t n, float eps,
                         float* y) noexcept {
    const auto count_of = static_cast<double>(n);
    D low = S::zero_d(), high = S::zero_d();
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F v = load(x + i, count);
      low = S::add(S::low(v), low);
      high = S::add(S::high(v), high);
    });
    const F mean = S::set1(static_cast<float>(S::sum(S::add(low, high)) / count_of));
    low = high = S::zero_d();
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      float centred[kLanes] = {};  // zeros past the end
      S::store_n(centred, count, S::sub(load(x + i, count), mean));
      const F v = S::load(centred);
      low = S::fma(S::low(v), S::low(v), low);
      high = S::fma(S::high(v), S::high(v), high);
    });
    const auto variance = static_cast<float>(S::sum(S::add(low, high)) / count_of);
    const F scale = S::set1(1.0F / __builtin_sqrtf(variance + eps));
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F v = S::mul(S::sub(load(x + i, count), mean), scale);
      store(y + i, count, S::mul(v, load(weight + i, count)));
    });
  }

  static void rope(float* x, int n_rot, bool interleaved, const float* cosines,
                   const float* sines) noexcept {
    if (interleaved) {
      rotate_neighbours(x, n_rot, cosines, sines);
    } else {
      rotate_halves(x, n_rot / 2, cosines, sines);
    }
  }

  static void silu_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F g = load(gate + i, count);
      const F one = S::set1(1.0F);
      const F silu = S::div(g, S::add(one, exp<S>(S::sub(S::zero(), g))));
      store(y + i, count, S::mul(silu, load(up + i, count)));
    });
  }

  static void swiglu_oai(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
    const F one = S::set1(1.0F), limit = S::set1(7.0F), lower = S::set1(-7.0F);
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F g = S::min(limit, load(gate + i, count));
      const F u = S::max(lower, S::min(limit, load(up + i, count)));
      const F swish = S::div(g, S::add(one, exp<S>(S::mul(S::set1(-1.702F), g))));
      store(y + i, count, S::mul(swish, S::add(u, one)));
    });
  }

  static void gelu_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
    const F one = S::set1(1.0F);
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F g = load(gate + i, count);
      const F cube = S::mul(S::mul(g, g), g);
      const F z = S::fma(S::set1(0.044715F), cube, g);
      // (1 + tanh z) / 2 = 1 / (1 + e^-2z), with sqrt(2/pi) in z
      const F gelu = S::div(g, S::add(one, exp<S>(S::mul(S::set1(-1.59576912F), z))));
      store(y + i, count, S::mul(gelu, load(up + i, count)));
    });
  }

  static void sigmoid_mul(const float* gate, const float* x, std::int64_t n, float* y) noexcept {
    const F one = S::set1(1.0F);
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F e = exp<S>(S::sub(S::zero(), load(gate + i, count)));
      store(y + i, count, S::div(load(x + i, count), S::add(one, e)));
    });
  }

  static void delta_rule(const DeltaRule& rule) noexcept {
    const F decay = S::set1(rule.decay);
    for (int i = 0; i < rule.dim; ++i) {
      float* row = rule.state + static_cast<std::int64_t>(i) * rule.dim;
      F recalled = S::zero(), out = S::zero();
      for_each(rule.dim, [&](std::int64_t j, std::int64_t count) {
        const F r = S::mul(load(row + j, count), decay);
        store(row + j, count, r);
        recalled = S::fma(r, load(rule.k + j, count), recalled);
      });
      const F correction = S::set1(rule.beta * (rule.v[i] - S::sum(recalled)));
      for_each(rule.dim, [&](std::int64_t j, std::int64_t count) {
        const F r = S::fma(correction, load(rule.k + j, count), load(row + j, count));
        store(row + j, count, r);
        out = S::fma(r, load(rule.q + j, count), out);
      });
      rule.out[i] = S::sum(out);
    }
  }

  static void add_scaled(const float* x, std::int64_t n, float scale, float* y) noexcept {
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      store(y + i, count, S::fma(S::set1(scale), load(x + i, count), load(y + i, count)));
    });
  }

  static void soft_cap(float* x, std::int64_t n, float cap) noexcept {
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      const F t = tanh<S>(S::div(load(x + i, count), S::set1(cap)));
      store(x + i, count, S::mul(S::set1(cap), t));
    });
  }

  static void add(const float* x, std::int64_t n, float* y) noexcept {
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      store(y + i, count, S::add(load(y + i, count), load(x + i, count)));
    });
  }

  static void softmax(float* x, std::int64_t n) noexcept {
    F peaks = S::set1(-__builtin_inff());
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      peaks = S::max(count == kLanes ? S::load(x + i) : load_or(x + i, count, x[0]), peaks);
    });
    const F max = S::set1(S::max(peaks));
    D low = S::zero_d(), high = S::zero_d();
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      store(x + i, count, exp<S>(S::sub(load(x + i, count), max)));
      const F e = load(x + i, count);  // zeros past the end
      low = S::add(S::low(e), low);
      high = S::add(S::high(e), high);
    });
    const F inverse = S::set1(static_cast<float>(1.0 / S::sum(S::add(low, high))));
    for_each(n, [&](std::int64_t i, std::int64_t count) {
      store(x + i, count, S::mul(load(x + i, count), inverse));
    });
  }

 private:
  using F = typename S::F;
  using D = typename S::D;
  static constexpr int kLanes = S::kLanes;

  // Calls body(i, count) for each vector of n floats. Only the last count may be less than kLanes.
  template <typename Body>
  static void for_each(std::int64_t n, Body body) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) body(i, kLanes);
    if (i < n) body(i, n - i);
  }
  static F load(const float* p, std::int64_t count) noexcept {
    return count == kLanes ? S::load(p) : S::load_n(p, count);
  }
  static F load_or(const float* p, std::int64_t count, float rest) noexcept {
    float lanes[kLanes];
    for (int i = 0; i < kLanes; ++i) lanes[i] = i < count ? p[i] : rest;
    return S::load(lanes);
  }
  static void store(float* p, std::int64_t count, F v) noexcept {
    count == kLanes ? S::store(p, v) : S::store_n(p, count, v);
  }

  static void rotate_halves(float* x, int half, const float* cosines, const float* sines) noexcept {
    for_each(half, [&](std::int64_t i, std::int64_t count) {
      const F a = load(x + i, count), b = load(x + half + i, count);
      const F c = load(cosines + i, count), s = load(sines + i, count);
      store(x + i, count, S::fnma(b, s, S::mul(a, c)));
      store(x + half + i, count, S::fma(b, c, S::mul(a, s)));
    });
  }
  static void rotate_neighbours(float* x, int n_rot, const float* cosines,
                                const float* sines) noexcept {
    int i = 0;
    for (; i + kLanes <= n_rot; i += kLanes) {
      const F v = S::load(x + i);
      const F c = S::load_twice(cosines + i / 2), s = S::load_twice(sines + i / 2);
      S::store(x + i, S::fmaddsub(v, c, S::mul(S::swap_pairs(v), s)));
    }
    for (; i + 1 < n_rot; i += 2) {
      const float a = x[i], b = x[i + 1], c = cosines[i / 2], s = sines[i / 2];
      x[i] = a * c - b * s;
      x[i + 1] = a * s + b * c;
    }
  }
};

// The fast Walsh-Hadamard transform over the vocabulary S. Does the butterflies of
// scalar/vector.cpp and gives the same bits. Butterflies with a stride shorter than a vector stay
// inside one vector.
template <class S>
class Hadamard {
 public:
  static void run(float* x, std::int64_t n, int block) noexcept {
    const F scale = S::set1(1.0F / __builtin_sqrtf(static_cast<float>(block)));
    for (float* const end = x + n; x < end; x += block) {
      for (int i = 0; i < block; i += kLanes) S::store(x + i, within(S::load(x + i)));
      for (int stride = kLanes; stride < block; stride *= 2) across(x, block, stride);
      for (int i = 0; i < block; i += kLanes) S::store(x + i, S::mul(S::load(x + i), scale));
    }
  }

 private:
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;

  static void across(float* x, int block, int stride) noexcept {
    for (int begin = 0; begin < block; begin += 2 * stride) {
      for (int i = begin; i < begin + stride; i += kLanes) {
        const F a = S::load(x + i), b = S::load(x + i + stride);
        S::store(x + i, S::add(a, b));
        S::store(x + i + stride, S::sub(a, b));
      }
    }
  }

  struct Signs {
    constexpr explicit Signs(int stride) noexcept : lanes() {
      for (int i = 0; i < kLanes; ++i) lanes[i] = (i & stride) == 0 ? 1.0F : -1.0F;
    }
    float lanes[kLanes];
  };
  // Lane i becomes the sum of lanes i and i + kStride if bit kStride of i is clear, and otherwise
  // the difference of lanes i - kStride and i.
  template <int kStride>
  static F butterfly(F x) noexcept {
    static constexpr Signs kSigns(kStride);
    return S::fma(x, S::load(kSigns.lanes), S::template exchange<kStride>(x));
  }
  static F within(F x) noexcept {
    x = butterfly<1>(x);
    x = butterfly<2>(x);
    x = butterfly<4>(x);
    if constexpr (kLanes > 8) x = butterfly<8>(x);
    return x;
  }
};

}  // namespace confab::kernels::generic
