// SPDX-License-Identifier: MIT
// What every quantised type comes down to: whole numbers that fit in a byte, with a scale and a
// minimum for each 16 of them, w[i] = scale[i / 16] * q[i] - min[i / 16].
//
// In every type the product of scale and number is exact in f32, so that only the subtraction
// rounds, whatever the order of a format's own formula. Static functions, as in block.h.
#pragma once

#include "kernels/block.h"

namespace confab::kernels {

constexpr int kUnpackedWeights = 256;

struct Unpacked {
  alignas(64) std::int8_t q[kUnpackedWeights];
  float scale[kUnpackedWeights / 16];
  float min[kUnpackedWeights / 16];
};

// For weights [at, at + n), both multiples of 16.
[[maybe_unused]] static void set_scales(Unpacked& out, int at, int n, float scale,
                                        float min = 0) noexcept {
  for (int j = at / 16; j < (at + n) / 16; ++j) {
    out.scale[j] = scale;
    out.min[j] = min;
  }
}

}  // namespace confab::kernels
