// SPDX-License-Identifier: MIT
#include "engine/gpu/row_planes.h"

#include <cassert>
#include <cstring>

namespace confab::engine {
namespace {

// Where the codes of a block of Q8_0 are moved behind its scale.
constexpr std::size_t kScaleBytes = 2;

}  // namespace

std::optional<RowPlanes> RowPlanes::of(const kernels::WeightRows& rows) {
  if (rows.row_bytes % 16 != 0) return std::nullopt;
  const auto n_cols = static_cast<std::size_t>(rows.n_cols);
  switch (rows.dtype) {
    case kernels::Dtype::Q8_0:
      return RowPlanes{264, rows.row_bytes, n_cols / 32, {kScaleBytes, 32, 0, 0}};
    case kernels::Dtype::Q6_K:
      return RowPlanes{270, rows.row_bytes, n_cols / 256, {128, 64, 16, kScaleBytes}};
    default:
      return std::nullopt;
  }
}

void RowPlanes::take_apart(std::span<const std::byte> rows, std::byte* to) const noexcept {
  assert(rows.size() % row_bytes == 0);
  const bool scale_first = parts[0] == kScaleBytes;  // and the plane of the codes goes before it
  const std::byte* from = rows.data();
  for (std::size_t row = 0; row < rows.size(); row += row_bytes) {
    std::array<std::byte*, 4> plane{};
    std::byte* next = to + row;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      plane[k] = next;
      next += parts[k] * n_blocks;
    }
    if (scale_first) {
      plane[1] = to + row;
      plane[0] = to + row + parts[1] * n_blocks;
    }
    for (std::size_t block = 0; block < n_blocks; ++block) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        std::memcpy(plane[k] + block * parts[k], from, parts[k]);
        from += parts[k];
      }
    }
  }
}

}  // namespace confab::engine
