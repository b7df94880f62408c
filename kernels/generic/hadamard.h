// SPDX-License-Identifier: MIT
// The fast Walsh-Hadamard transform over the vocabulary S: the butterflies of scalar/hadamard.cpp,
// to the same bits, with those of less than a vector's stride inside one vector.
#pragma once

#include <cstdint>

namespace confab::kernels::generic {

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
  // Lane i becomes the sum of lanes i and i + kStride where bit kStride of i is clear; else the
  // difference of lanes i - kStride and i.
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
