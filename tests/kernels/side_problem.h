// SPDX-License-Identifier: MIT
// Random weights with side scales, for tests.
#pragma once

#include "kernels/block.h"
#include "tests/kernels/testing.h"

namespace confab::kernels::testing {

// Those with scales of any type and for groups of any size; E2M1's are E8M0, for 32 columns.
inline constexpr Dtype kSideTypes[] = {Dtype::MLX4, Dtype::MLX8, Dtype::F8_E4M3};

// Of floats, codes have no biases.
inline bool has_biases(Dtype dtype) {
  return dtype == Dtype::MLX4 || dtype == Dtype::MLX8;
}

struct SideGroups {
  std::int64_t rows, cols;
};

// n as numbers of this type, any bits that are finite and of one order.
inline std::vector<std::byte> random_numbers(std::mt19937& rng, Dtype dtype, std::size_t n) {
  std::vector<std::byte> bytes;
  for (const float value : random_floats(rng, n, 0.02F)) {
    if (dtype == Dtype::E8M0) {
      bytes.push_back(static_cast<std::byte>(120 + rng() % 8));
      continue;
    }
    const std::uint16_t half = dtype == Dtype::F16 ? f32_to_f16(value) : f32_to_bf16(value);
    const auto* first = dtype == Dtype::F32 ? reinterpret_cast<const std::byte*>(&value)
                                            : reinterpret_cast<const std::byte*>(&half);
    bytes.insert(bytes.end(), first, first + info(dtype).block_bytes);
  }
  return bytes;
}

struct SideProblem {
  // numbers: the type of the scales and of the biases.
  SideProblem(std::mt19937& rng, Dtype dtype, std::int64_t n_rows, std::int64_t n_cols,
              SideGroups groups, Dtype numbers)
      : codes(random_bytes(rng, static_cast<std::size_t>(n_rows) * row_bytes(dtype, n_cols))) {
    const std::int64_t n_per_row = (n_cols + groups.cols - 1) / groups.cols;
    const auto n = static_cast<std::size_t>((n_rows + groups.rows - 1) / groups.rows * n_per_row);
    scales = random_numbers(rng, numbers, n);
    if (has_biases(dtype)) biases = random_numbers(rng, numbers, n);
    w = {dtype,
         codes.data(),
         n_cols,
         row_bytes(dtype, n_cols),
         {.scales = scales.data(),
          .biases = biases.empty() ? nullptr : biases.data(),
          .dtype = numbers,
          .group_rows = groups.rows,
          .group_cols = groups.cols,
          .n_per_row = n_per_row}};
  }
  SideProblem(const SideProblem&) = delete;
  SideProblem& operator=(const SideProblem&) = delete;

  std::vector<std::byte> codes, scales, biases;
  WeightRows w{};
};

}  // namespace confab::kernels::testing
