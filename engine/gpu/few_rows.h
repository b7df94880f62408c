// SPDX-License-Identifier: MIT
// The rows of activations of a product, and how the programs for a few rows distribute a matrix
// over a device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/gpu/gpu_weights.h"

namespace confab::engine {

constexpr int kMostAlone = 2;   // rows that matvec handles separately
constexpr int kMostTokens = 8;  // the most rows of one matvec
constexpr int kMostFew = 16;    // the most for matvec_cores, or for matvec in two parts
// Up to these numbers of rows, a matrix is read again for every kMostFew rows. Tiles keep a device
// busy only if there are many of them: on an H200, 64 rows of an 8B model took 28 ms in tiles and
// 14 ms in parts; without matrix cores, 44 ms and 36 ms.
constexpr int kMostInPartsByCores = 128, kMostInParts = 48;
// one workgroup each, spread over the device; used for routers
constexpr std::uint32_t kScatteredRows = 256;
// columns; larger steps would leave invocations without work
constexpr std::uint32_t kNarrow = 1024;
// enough to keep a device busy with two rows per subgroup
constexpr std::uint32_t kManyRows = 8192;

template <typename Number>
std::uint32_t u32(Number n) noexcept {
  return static_cast<std::uint32_t>(n);
}

inline std::uint32_t count(std::int64_t n, std::int64_t of) noexcept {
  return static_cast<std::uint32_t>((n + of - 1) / of);
}

enum class Store : std::uint32_t { replaces, adds, hidden, adds_and_norms };  // matvec's kWhat

// The rows of activations of a product. For experts, also which expert each row belongs to.
struct Rows {
  int n;
  std::uint64_t ids = 0;    // experts: the ids of the rows' experts, [n]
  int n_sharing = 1;        // this many consecutive ids use the same row of activations
  int n_summed = 0;         // experts: each row is the weighted sum of this many products
  std::uint64_t tiles = 0;  // experts: the tiles of rows sorted by expert
  int n_tiles = 0;          // upper bound
  // written by the device: the grid of the product over these tiles, with 128 rows of the matrix
  // per workgroup
  std::uint64_t grid = 0;
  int apart = ids != 0;  // this many rows per matvec; 0: all rows in one
  bool chooses = false;  // matvec first chooses the experts from the router's logits

  bool is_few() const noexcept { return ids != 0 || (tiles == 0 && n <= kMostFew); }
  // The values of matvec's constants.
  std::uint32_t at_once() const noexcept { return u32(apart > 0 ? apart : n); }
  std::uint32_t n_parts() const noexcept { return apart > 0 ? count(n, apart) : 1; }
  std::uint32_t sharing() const noexcept { return apart > 0 && n_summed == 0 ? u32(n_sharing) : 0; }
  // Whether there are so many rows of experts that they keep a device busy by themselves.
  bool are_many() const noexcept { return ids != 0 && n_summed == 0 && n > kMostAlone * n_sharing; }
  // How many matrices are read. A matrix that all rows share is read once.
  std::uint32_t n_read() const noexcept {
    return ids != 0 ? static_cast<std::uint32_t>(n * std::max(n_summed, 1)) : 1;
  }
};

// Whether a workgroup of matvec takes 32 rows of each matrix instead of one set per subgroup.
constexpr bool is_by_32(Store what) noexcept {
  return what == Store::hidden || what == Store::adds_and_norms;
}

// How matvec divides a matrix: rows per subgroup, subgroups per workgroup, steps in flight per row,
// and whether steps are small (parts.glsl). Rows that share activations read them once, but each
// row and each step needs registers. The numbers were measured on an H200.
struct FewRows {
  std::uint32_t n, n_subgroups, n_steps;
  bool small_steps = false;

  static FewRows of(const GpuMatrix& m, const Rows& rows, Store what, std::uint32_t subgroup) {
    if (rows.n_summed > 0) return of_sums(m, rows, what, subgroup);
    if (rows.at_once() > kMostAlone) return of_several(m, rows, what);
    return of_one(m, rows, what);
  }

 private:
  static bool has_small_steps(const GpuMatrix& m) noexcept {
    using kernels::Dtype;
    return m.dtype == Dtype::Q4_K || m.dtype == Dtype::Q5_K || m.dtype == Dtype::Q6_K;
  }
  static bool is_scattered(const GpuMatrix& m, Store what) noexcept {
    return !is_by_32(what) && m.n_rows <= kScatteredRows;
  }

  // Steps run over all experts. The registers limit how many are in flight, and they are
  // distributed so that the last round is about as full as the others.
  static FewRows of_sums(const GpuMatrix& m, const Rows& rows, Store what, std::uint32_t subgroup) {
    const std::uint32_t n = is_by_32(what) ? 1 : 2;
    const std::uint32_t n_cols_of_step = m.reads_floats() ? 8 : has_small_steps(m) ? 64 : 32;
    const std::uint32_t n_steps =
        count(count(m.n_cols, n_cols_of_step) * u32(rows.n_summed), subgroup);
    return {n, is_by_32(what) ? 32U : 8U, count(n_steps, count(n_steps, 6 / n))};
  }

  // For one or two rows of activations at a time.
  static FewRows of_one(const GpuMatrix& m, const Rows& rows, Store what) {
    const bool is_q8 = m.dtype == kernels::Dtype::Q8_0, by_32 = is_by_32(what);
    const bool small_steps = has_small_steps(m) && m.n_cols <= kNarrow;
    const std::uint32_t n_steps = has_small_steps(m) ? 1 : 2;
    if (rows.are_many()) return {2, 8, n_steps, small_steps};
    if (is_scattered(m, what)) return {1, 1, rows.n <= kMostAlone ? 8U : 1U, small_steps};
    if (is_q8 && what == Store::adds_and_norms) return {1, 32, 4};
    if (is_q8 && m.n_rows < kManyRows) return {1, 16, 4};
    if (is_q8 && what == Store::hidden) return {1, 8, 4};
    return {by_32 || m.n_rows >= kManyRows ? 2U : 1U, by_32 && !is_q8 ? 16U : 8U, n_steps,
            small_steps};
  }

  static FewRows of_several(const GpuMatrix& m, const Rows& rows, Store what) {
    const bool is_q8 = m.dtype == kernels::Dtype::Q8_0, by_32 = is_by_32(what);
    if (rows.apart > 0) return {4, 1, 1};
    if (is_scattered(m, what)) return {1, 1, 2, has_small_steps(m)};
    if (has_small_steps(m)) return {2, 8, 1, true};
    return {by_32 ? 1U : is_q8 ? 4U : 2U, by_32 ? 8U : 4U, 1};
  }
};

constexpr std::uint32_t kCoresRows = 16;  // rows of the matrix per workgroup of matvec_cores
// Subgroups per workgroup of matvec_cores, which share the columns: as many as there is room for
// their sums, or fewer (measured on an H200).
inline std::uint32_t cores_subgroups(const GpuMatrix& m, Store what) noexcept {
  if (what == Store::hidden) return 8;
  const bool are_long_and_few = m.n_cols > 2048 && m.n_rows <= 2048;
  return m.dtype == kernels::Dtype::Q8_0 || are_long_and_few ? 16 : 8;
}

}  // namespace confab::engine
