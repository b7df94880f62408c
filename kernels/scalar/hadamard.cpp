// SPDX-License-Identifier: MIT
#include <cassert>
#include <cmath>

#include "kernels/scalar/scalar.h"

namespace confab::kernels::scalar {

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
