// SPDX-License-Identifier: MIT
// Rows of activations that a matrix is multiplied by, and how the programs for a few of them share
// the matrix out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/gpu/gpu_weights.h"

namespace confab::engine {

constexpr int kMostAlone = 2;   // rows of activations that are each for itself
constexpr int kMostTokens = 8;  // of a product by matvec
constexpr int kMostFew = 16;    // by matvec_cores, or by matvec in two parts
// Rows up to which a matrix is read again for as many as these take: tiles keep a device busy only
// where there are many (on an H200, 64 rows of an 8B by tiles took 28 ms, in parts 14; without
// matrix cores, 44 and 36).
constexpr int kMostInPartsByCores = 128, kMostInParts = 48;
constexpr std::uint32_t kScatteredRows = 256;  // a workgroup each, all over the device: routers
constexpr std::uint32_t kNarrow = 1024;        // columns: large steps leave invocations without any
constexpr std::uint32_t kManyRows = 8192;      // keep a device busy with two to a subgroup

template <typename Number>
std::uint32_t u32(Number n) noexcept {
  return static_cast<std::uint32_t>(n);
}

inline std::uint32_t count(std::int64_t n, std::int64_t of) noexcept {
  return static_cast<std::uint32_t>((n + of - 1) / of);
}

enum class Store : std::uint32_t { replaces, adds, hidden, adds_and_norms };  // matvec's kWhat

// Rows of activations of a product; of experts, whose they are.
struct Rows {
  int n;
  std::uint64_t ids = 0;    // of experts, each row by itself: [n]
  int n_sharing = 1;        // so many of these have the same row of activations
  int n_summed = 0;         // of experts: each row gives the sum of so many, by their weights
  std::uint64_t tiles = 0;  // of experts, in their order
  int n_tiles = 0;          // at most
  std::uint64_t grid = 0;   // of the product over these, by tiles of 128 rows of the matrix
  int apart = ids != 0;     // so many by themselves; 0: all together
  bool chooses = false;     // first of all the experts, from the logits of their router

  bool is_few() const noexcept { return ids != 0 || (tiles == 0 && n <= kMostFew); }
  // As matvec has it.
  std::uint32_t at_once() const noexcept { return u32(apart > 0 ? apart : n); }
  std::uint32_t n_parts() const noexcept { return apart > 0 ? count(n, apart) : 1; }
  std::uint32_t sharing() const noexcept { return apart > 0 && n_summed == 0 ? u32(n_sharing) : 0; }
  // Whether so many rows are of experts that a device is busy with them for long.
  bool are_many() const noexcept { return ids != 0 && n_summed == 0 && n > kMostAlone * n_sharing; }
  // Matrices that are read; one that all rows have in common is read once.
  std::uint32_t n_read() const noexcept {
    return ids != 0 ? static_cast<std::uint32_t>(n * std::max(n_summed, 1)) : 1;
  }
};

// Whether a workgroup of matvec has 32 rows of each matrix, not as many as its subgroups.
constexpr bool is_by_32(Store what) noexcept {
  return what == Store::hidden || what == Store::adds_and_norms;
}

// What a subgroup of matvec has of a matrix: rows, and steps of these that are on their way; and
// whether these are small ones (parts.glsl). Rows that meet the same activations read these once,
// but each takes registers for its sums, and so do steps (measured on an H200).
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

  // Steps are those of all experts: as many at once as there are registers for, or fewer, so that
  // the last ones are about as many.
  static FewRows of_sums(const GpuMatrix& m, const Rows& rows, Store what, std::uint32_t subgroup) {
    const std::uint32_t n = is_by_32(what) ? 1 : 2;
    const std::uint32_t n_cols_of_step = m.reads_floats() ? 8 : has_small_steps(m) ? 64 : 32;
    const std::uint32_t n_steps =
        count(count(m.n_cols, n_cols_of_step) * u32(rows.n_summed), subgroup);
    return {n, is_by_32(what) ? 32U : 8U, count(n_steps, count(n_steps, 6 / n))};
  }

  // One row of activations at once, or two.
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

constexpr std::uint32_t kCoresRows = 16;  // of a matrix, of a workgroup of matvec_cores
// Subgroups of that workgroup, which share the columns: as many as it has room for their sums, or
// less (measured on an H200).
inline std::uint32_t cores_subgroups(const GpuMatrix& m, Store what) noexcept {
  if (what == Store::hidden) return 8;
  const bool are_long_and_few = m.n_cols > 2048 && m.n_rows <= 2048;
  return m.dtype == kernels::Dtype::Q8_0 || are_long_and_few ? 16 : 8;
}

}  // namespace confab::engine
