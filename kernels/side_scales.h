// SPDX-License-Identifier: MIT
// Scales that are stored in a separate tensor, as in safetensors files. The tensor of the weights
// then holds only codes:
//
//   w[r][c] = scale * code[r][c] + bias, rounded once to f32
//
// Each scale and bias applies to group_rows rows by group_cols columns of codes; a group may reach
// past the last row and column. If the weights are only some columns of longer rows, n_per_row
// counts the scales of the longer rows, and the weights use the first ones of each row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/dtype.h"

namespace confab::kernels {

struct SideScales {
  const std::byte* scales = nullptr;  // [any, n_per_row], any alignment; nullptr: no side scales
  const std::byte* biases = nullptr;  // the same shape; nullptr: all biases are 0
  Dtype dtype = Dtype::F32;           // of both: F32, F16 or BF16; scales may also be E8M0
  std::int64_t group_rows = 1;
  std::int64_t group_cols = 1;  // a multiple of 32, or at least a whole row
  std::int64_t n_per_row = 0;
  std::int64_t row0 = 0;  // which row of the scaled tensor is the first row of the weights

  // The bytes of the scales and of the biases for n_rows whole rows.
  std::array<std::span<const std::byte>, 2> bytes(std::int64_t n_rows) const noexcept;
  // How many of these bytes apply to n_cols columns.
  std::size_t n_bytes(std::int64_t n_rows, std::int64_t n_cols) const noexcept;
};

}  // namespace confab::kernels
