// SPDX-License-Identifier: MIT
// Weights from f32 to the types that model files are written in, with the care that an encoder for
// the cache has no time for: the K types search for their scales (below).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/dtype.h"
#include "kernels/kernel_table.h"

namespace confab::kernels {

// One row of n finite weights, n a multiple of the type's block, into row_bytes(dtype, n) bytes, as
// F16, BF16, Q8_0, Q4_0, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K. The bits do not depend on the table.
void quantize_row(const KernelTable& table, Dtype dtype, const float* x, std::int64_t n,
                  std::byte* out) noexcept;

// Rows of the K types; n is a multiple of 256.
void quantize_row_q4_k(const float* x, std::int64_t n, std::byte* out) noexcept;
void quantize_row_q5_k(const float* x, std::int64_t n, std::byte* out) noexcept;
void quantize_row_q6_k(const float* x, std::int64_t n, std::byte* out) noexcept;

// Searches for the scale of a block of weights: codes are small whole numbers, so that a scale that
// is a little off the obvious one often lets more weights fall close to a code.
//
// Both try a few scales around the one that makes the extremes fit. For each, the codes follow by
// rounding, and for the codes the best scale by least squares; the best of the fits is returned.
// The errors are weighted: large weights matter more, as they move the outputs more.
struct ScaleMin {
  float scale;  // 0 or more
  float min;    // 0 or less
};

// x[i] is about scale * q + min with q in [0, max_code], to the least sum of weights[i] times the
// squared error. x and weights have the same length, at most 32; weights are positive. The scales
// that are tried spread x, from the best minimum so far on, over max_code + t numbers, with t from
// `first` to `last` by 0.1.
struct ScaleMinSearch {
  int max_code;
  float first;
  float last;
};
ScaleMin find_scale_min(std::span<const float> x, std::span<const float> weights,
                        const ScaleMinSearch& search) noexcept;

// x[i] is about scale * q with q in [-zero, zero - 1], weighted by x[i]^2. Negative where the
// farthest value is positive; 0 where x is.
float find_scale(std::span<const float> x, int zero) noexcept;

}  // namespace confab::kernels
