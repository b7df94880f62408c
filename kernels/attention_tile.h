// SPDX-License-Identifier: MIT
// How attention() cuts positions and queries. Shared by the kernels, by the code that sizes their
// scratch, and by the code that distributes slices over threads.
#pragma once

#include <climits>
#include <cstddef>

namespace confab::kernels {

// Positions whose scores are computed before the running maximum moves. Blocks start at multiples
// of this, so the result of a query does not depend on the queries that it is computed with.
constexpr int kAttentionBlock = 64;

// Positions are cut into slices at the same places for every query. A query's softmax is that of
// each slice, joined in order, whether one thread computes all slices or several share them. Slices
// grow with the position, so that there are few of them at any depth: 16 of 256 positions, then 12
// of 1024, 12 of 4096, and so on. The last slice has no end.
constexpr int kAttentionSlices = 64;

constexpr int attention_slice_begin(int slice) noexcept {
  if (slice < 16) return 256 * slice;
  const int level = (slice - 16) / 12, i = (slice - 16) % 12;
  return (4 + i) << (2 * level + 10);
}
constexpr int attention_slice_end(int slice) noexcept {
  return slice + 1 < kAttentionSlices ? attention_slice_begin(slice + 1) : INT_MAX;
}
constexpr int attention_slice_of(int pos) noexcept {
  int slice = 0;
  while (attention_slice_end(slice) <= pos) ++slice;
  return slice;
}

// Head sizes are rounded up to a multiple of this within scratch, so that every kernel works on
// whole vectors.
constexpr int kAttentionPad = 16;
constexpr int attention_padded(int n) noexcept {
  return (n + kAttentionPad - 1) / kAttentionPad * kAttentionPad;
}

// The most query heads sharing a K/V head that are computed together.
constexpr int kAttentionGroup = 16;

// Queries that pass over a block of K and V together: enough to make unpacking it cheap, but few
// enough for all their data to stay in the second-level cache.
constexpr int attention_tile_queries(int n_group, int head_dim_k, int head_dim_v) noexcept {
  const int n_rows = 65536 / (head_dim_k + 2 * head_dim_v);
  const int n = (n_rows < 128 ? n_rows : 128) / n_group;
  return n < 1 ? 1 : n;
}

// Floats of a partial result with n_rows rows (one for each query and head): the sums of values
// [n_rows, attention_padded(head_dim_v)], then the maxima and the sums of weights, each
// [attention_padded(n_rows)].
constexpr std::size_t attention_partial_floats(int n_rows, int head_dim_v) noexcept {
  return static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(attention_padded(head_dim_v)) +
         2 * static_cast<std::size_t>(attention_padded(n_rows));
}

// Floats of scratch for a tile: a block of K and of V and some of their rows, queries and scores,
// two partials, and three numbers per row.
constexpr std::size_t attention_tile_floats(int n_group, int head_dim_k, int head_dim_v) noexcept {
  const int n_rows = n_group * attention_tile_queries(n_group, head_dim_k, head_dim_v);
  const int dim_k = attention_padded(head_dim_k), dim_v = attention_padded(head_dim_v);
  const int longest = dim_k > dim_v ? dim_k : dim_v;
  return static_cast<std::size_t>(kAttentionBlock * (dim_k + dim_v) + kAttentionPad * longest +
                                  n_rows * (dim_k + kAttentionBlock + 3)) +
         2 * attention_partial_floats(n_rows, head_dim_v);
}

}  // namespace confab::kernels
