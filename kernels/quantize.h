// SPDX-License-Identifier: MIT
// Converts weights from f32 to the types of model files. Takes more care than the encoder for the
// cache has time for: the K types search for their scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/dtype.h"
#include "kernels/kernel_table.h"

namespace confab::kernels {

// Converts one row of n finite weights, n a multiple of the type's block, into row_bytes(dtype, n)
// bytes of F16, BF16, Q8_0, Q4_0, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K. The bits do not depend on the
// table.
void quantize_row(const KernelTable& table, Dtype dtype, const float* x, std::int64_t n,
                  std::byte* out) noexcept;

// Convert rows to the K types. n is a multiple of 256.
void quantize_row_q4_k(const float* x, std::int64_t n, std::byte* out) noexcept;
void quantize_row_q5_k(const float* x, std::int64_t n, std::byte* out) noexcept;
void quantize_row_q6_k(const float* x, std::int64_t n, std::byte* out) noexcept;

// The search for the scale of a block of weights. Codes are small whole numbers, so a scale
// slightly off the obvious one often brings more weights close to a code.
//
// Both functions try a few scales around the one that fits the extremes. For each, rounding gives
// the codes, and least squares give the best scale for these codes. The best fit is returned.
// Errors are weighted: large weights matter more, because they change the outputs more.
struct ScaleMin {
  float scale;  // 0 or more
  float min;    // 0 or less
};

// Finds the scale and min with x[i] = scale * q + min, q in [0, max_code], that give the smallest
// sum of weights[i] times the squared error. x and weights have the same length, at most 32, and
// weights are positive. The tried scales spread x, counted from the best minimum so far, over
// max_code + t steps, with t from `first` to `last` in steps of 0.1.
struct ScaleMinSearch {
  int max_code;
  float first;
  float last;
};
ScaleMin find_scale_min(std::span<const float> x, std::span<const float> weights,
                        const ScaleMinSearch& search) noexcept;

// Finds the scale with x[i] = scale * q, q in [-zero, zero - 1], weighted by x[i]^2. It is negative
// if the value farthest from zero is positive, and 0 if all x are 0.
float find_scale(std::span<const float> x, int zero) noexcept;

}  // namespace confab::kernels
