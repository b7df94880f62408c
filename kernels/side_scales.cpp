// SPDX-License-Identifier: MIT
#include "kernels/side_scales.h"

namespace confab::kernels {

std::array<std::span<const std::byte>, 2> SideScales::bytes(std::int64_t n_rows) const noexcept {
  const std::int64_t n = (n_rows + group_rows - 1) / group_rows * n_per_row;
  const std::size_t n_bytes = static_cast<std::size_t>(n) * info(dtype).block_bytes;
  const auto of = [n_bytes](const std::byte* first) {
    return std::span(first, first == nullptr ? 0 : n_bytes);
  };
  return {of(scales), of(biases)};
}

std::size_t SideScales::n_bytes(std::int64_t n_rows, std::int64_t n_cols) const noexcept {
  if (scales == nullptr) return 0;
  const std::int64_t n =
      (n_rows + group_rows - 1) / group_rows * ((n_cols + group_cols - 1) / group_cols);
  return static_cast<std::size_t>(n) * info(dtype).block_bytes * (biases == nullptr ? 1 : 2);
}

}  // namespace confab::kernels
