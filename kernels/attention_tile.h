// SPDX-License-Identifier: MIT
// The tile sizes of attention(), shared by the kernels and by the size of their scratch.
#pragma once

#include <cstddef>

namespace confab::kernels {

// Positions whose scores are computed before the running maximum moves. Blocks start at multiples
// of this, so that a query's result does not depend on the others that it is computed with.
constexpr int kAttentionBlock = 32;
// Queries that pass over a block of K and V while it is in the cache.
constexpr int kAttentionTile = 16;

// Floats of scratch: a block of K and of V as f32, the scores of a block for every head of a query,
// and for every query head of a tile the running maximum and sum.
constexpr std::size_t attention_tile_floats(int n_group, int head_dim_k, int head_dim_v) noexcept {
  return static_cast<std::size_t>(kAttentionBlock * (head_dim_k + head_dim_v + n_group) +
                                  2 * kAttentionTile * n_group);
}

}  // namespace confab::kernels
