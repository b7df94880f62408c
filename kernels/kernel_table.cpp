// SPDX-License-Identifier: MIT
#include "kernels/kernel_table.h"

#include <cassert>

#include "kernels/attention_tile.h"
#include "kernels/block.h"

namespace confab::kernels {

ActFormat act_format(Dtype dtype, bool exact) noexcept {
  if (exact) return ActFormat::f32;
  if (dtype == Dtype::BF16) return ActFormat::bf16;
  return info(dtype).block == 1 || has_side_scales(dtype) ? ActFormat::f32 : ActFormat::q8;
}

std::size_t act_row_bytes(ActFormat format, std::int64_t n) noexcept {
  const auto count = static_cast<std::size_t>(n);
  if (format == ActFormat::f32) return count * sizeof(float);
  if (format == ActFormat::bf16) return (count + count % 2) * sizeof(std::uint16_t);
  assert(n % kQ8Block == 0);
  return count + count / static_cast<std::size_t>(kQ8Block) * sizeof(Q8Meta);
}

std::size_t attention_scratch_floats(int n_group, int head_dim_k, int head_dim_v) noexcept {
  return attention_tile_floats(n_group, head_dim_k, head_dim_v);
}

}  // namespace confab::kernels
