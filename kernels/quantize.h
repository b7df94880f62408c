// SPDX-License-Identifier: MIT
// Weights from f32 to the types that model files are written in, with the care that an encoder for
// the cache has no time for: the K types search for their scales (scale_search.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dtype.h"
#include "kernels/kernel_table.h"

namespace confab::kernels {

// One row of n finite weights, n a multiple of the type's block, into row_bytes(dtype, n) bytes, as
// F16, BF16, Q8_0, Q4_0, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K. The bits do not depend on the table.
void quantize_row(const KernelTable& table, Dtype dtype, const float* x, std::int64_t n,
                  std::byte* out) noexcept;

}  // namespace confab::kernels
