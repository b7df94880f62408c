// SPDX-License-Identifier: MIT
// Weights whose scales are in a separate tensor (side_scales.h): their codes, and which scale
// applies to which. The functions are static, as in block.h.
//
// Sources: MLX, mlx/backend/cpu/quantized.cpp, for MLX4 and MLX8; the OCP 8-bit Floating Point
// Specification 1.0 for E4M3; the OCP Microscaling Formats specification 1.0 for E2M1 and E8M0.
#pragma once

#include "kernels/block.h"
#include "kernels/kernel_table.h"

namespace confab::kernels {

[[maybe_unused]] static float side_number(Dtype dtype, const std::byte* numbers,
                                          std::int64_t i) noexcept {
  if (dtype == Dtype::F32) return load_as<float>(numbers + 4 * i);
  if (dtype == Dtype::E8M0) return 2 * half_of_e8m0(load_as<std::uint8_t>(numbers + i));
  const auto bits = load_as<std::uint16_t>(numbers + 2 * i);
  return dtype == Dtype::F16 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

// The number that code c of a row stands for.
[[maybe_unused]] static float side_code(Dtype dtype, const std::byte* row,
                                        std::int64_t c) noexcept {
  const auto half = [&] { return load_as<std::uint8_t>(row + c / 2) >> 4 * (c % 2) & 15; };
  if (dtype == Dtype::MLX4) return static_cast<float>(half());
  if (dtype == Dtype::E2M1) return 0.5F * kE2M1Doubled[half()];
  const auto code = load_as<std::uint8_t>(row + c);
  if (dtype == Dtype::MLX8) return code;
  return e4m3_to_f32(code);
}

// The index of the first scale of a row.
[[maybe_unused]] static std::int64_t first_scale(const SideScales& s, std::int64_t row) noexcept {
  const std::int64_t of_all = s.row0 + row;
  return (s.group_rows == 1 ? of_all : of_all / s.group_rows) * s.n_per_row;
}

struct ScaleAndBias {
  float scale, bias;
};
[[maybe_unused]] static ScaleAndBias scale_at(const SideScales& s, std::int64_t i) noexcept {
  return {side_number(s.dtype, s.scales, i),
          s.biases == nullptr ? 0 : side_number(s.dtype, s.biases, i)};
}

// Columns [first, last) of a row share this scale and bias.
struct SideGroup {
  std::int64_t first, last;
  float scale, bias;
};

// Calls call(SideGroup) for each group of columns [c, c + n) of a row, in order.
template <typename Call>
static void for_each_group(const WeightRows& w, std::int64_t row, std::int64_t c, std::int64_t n,
                           Call call) noexcept {
  const std::int64_t size = w.side.group_cols;
  std::int64_t at = first_scale(w.side, row) + c / size, end = (c / size + 1) * size;
  for (std::int64_t first = c; first < c + n; first = end, end += size, ++at) {
    const auto [scale, bias] = scale_at(w.side, at);
    call(SideGroup{first, end < c + n ? end : c + n, scale, bias});
  }
}

}  // namespace confab::kernels
