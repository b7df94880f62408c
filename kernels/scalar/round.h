// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/block.h"

namespace confab::kernels::scalar {

// The nearest whole number, ties to even, for |x| < 2^22; any value for others. Adding 1.5 * 2^23
// leaves it in the low bits.
[[maybe_unused]] static int round_to_int(float x) noexcept {
  return static_cast<int>(bits_of(x + 0x1.8p23F)) - static_cast<int>(0x4b400000);
}

}  // namespace confab::kernels::scalar
