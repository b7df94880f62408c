// SPDX-License-Identifier: MIT
#include "engine/gpu/row_planes.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace confab::engine {
namespace {

using Parts = std::array<std::size_t, 4>;
constexpr std::size_t kScaleBytes = 2;
constexpr Parts kPartsQ8_0{kScaleBytes, 32, 0, 0}, kPartsQ6_K{128, 64, 16, kScaleBytes};

// The plane of the codes goes first, also where the scale of a block does.
template <Parts kParts>
void take_row_apart(const std::byte* from, std::size_t n_blocks, std::byte* to) noexcept {
  constexpr std::size_t kFirst = kParts[0] == kScaleBytes ? 1 : 0;
  std::array<std::byte*, 4> plane{};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const std::size_t k = (i + kFirst) % kParts.size();
    plane[k] = to;
    to += kParts[k] * n_blocks;
  }
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const auto take = [&]<std::size_t... k>(std::index_sequence<k...>) {
      ((std::memcpy(plane[k] + block * kParts[k], from, kParts[k]), from += kParts[k]), ...);
    };
    take(std::make_index_sequence<kParts.size()>());
  }
}

}  // namespace

std::optional<RowPlanes> RowPlanes::of(const kernels::WeightRows& rows) {
  const std::size_t stride = (rows.row_bytes + 15) / 16 * 16;
  if ((stride - rows.row_bytes) * 63 > rows.row_bytes) return std::nullopt;
  const auto n_cols = static_cast<std::size_t>(rows.n_cols);
  switch (rows.dtype) {
    case kernels::Dtype::Q8_0:
      return RowPlanes{264, rows.row_bytes, stride, n_cols / 32, kPartsQ8_0};
    case kernels::Dtype::Q6_K:
      return RowPlanes{270, rows.row_bytes, stride, n_cols / 256, kPartsQ6_K};
    default:
      return std::nullopt;
  }
}

void RowPlanes::take_apart(std::span<const std::byte> rows, std::byte* to) const noexcept {
  assert(rows.size() % row_bytes == 0);
  for (std::size_t row = 0; row < rows.size(); row += row_bytes, to += stride) {
    const std::byte* from = rows.data() + row;
    if (parts == kPartsQ8_0)
      take_row_apart<kPartsQ8_0>(from, n_blocks, to);
    else
      take_row_apart<kPartsQ6_K>(from, n_blocks, to);
  }
}

}  // namespace confab::engine
