// SPDX-License-Identifier: MIT
// Rows of the K types from f32; n is a multiple of 256. See quantize.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace confab::kernels {

void quantize_row_q4_k(const float* x, std::int64_t n, std::byte* out) noexcept;
void quantize_row_q5_k(const float* x, std::int64_t n, std::byte* out) noexcept;
void quantize_row_q6_k(const float* x, std::int64_t n, std::byte* out) noexcept;

}  // namespace confab::kernels
