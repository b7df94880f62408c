// SPDX-License-Identifier: MIT
// Rows of blocks taken apart: the codes of all blocks of a row, then all their scales. The blocks
// of some types begin at odd places (34 and 210 bytes), which a graphics processor reads two bytes
// at a time; their planes it reads sixteen at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/kernel_table.h"

namespace confab::engine {

struct RowPlanes {
  std::uint32_t format;  // as kernels/vulkan/shaders/formats.glsl has it
  std::size_t row_bytes;
  std::size_t stride;                // from row to row once they are apart
  std::size_t n_blocks;              // of a row
  std::array<std::size_t, 4> parts;  // bytes of a block that go to each plane, in their order

  // For types that gain by it, where each row's planes begin at a multiple of 16 bytes, or would
  // with a few bytes more to a row: at most a 63rd (Q6_K of 768 columns).
  static std::optional<RowPlanes> of(const kernels::WeightRows& rows);
  // Whole rows; `to` has room for as many, `stride` bytes each.
  void take_apart(std::span<const std::byte> rows, std::byte* to) const noexcept;
};

}  // namespace confab::engine
