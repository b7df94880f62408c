// SPDX-License-Identifier: MIT
// Scales that lie in a tensor of their own, as safetensors files have them, while the tensor of the
// weights has nothing but codes:
//
//   w[r][c] = scale * code[r][c] + bias, rounded once to f32
//
// One scale, and one bias, is for the codes of group_rows rows by group_cols columns, which may
// reach past the last row and column. Weights may be some columns of longer rows, which have
// n_per_row scales; theirs are then the first of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/dtype.h"

namespace confab::kernels {

struct SideScales {
  const std::byte* scales = nullptr;  // [any, n_per_row], any alignment; nullptr: there are none
  const std::byte* biases = nullptr;  // as many, or nullptr: they are 0
  Dtype dtype = Dtype::F32;           // of both: F32, F16 or BF16; of scales E8M0, too
  std::int64_t group_rows = 1;
  std::int64_t group_cols = 1;  // a multiple of 32, or not less than a row has
  std::int64_t n_per_row = 0;
  std::int64_t row0 = 0;  // which of the rows that the scales are for is the first of the weights

  // The scales, and the biases, of so many whole rows.
  std::array<std::span<const std::byte>, 2> bytes(std::int64_t n_rows) const noexcept;
  // How many bytes of them are for n_cols columns.
  std::size_t n_bytes(std::int64_t n_rows, std::int64_t n_cols) const noexcept;
};

}  // namespace confab::kernels
