// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace confab::engine {
namespace {

using kernels::Dtype;

std::vector<std::byte> some_rows(std::size_t n) {
  std::mt19937 rng(20261125);
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = static_cast<std::byte>(rng());
  return bytes;
}

TEST(RowPlanesTest, Q8_0HasItsCodesThenItsScales) {
  constexpr std::size_t kBlocks = 8, kRow = kBlocks * 34;
  const std::vector<std::byte> rows = some_rows(2 * kRow);
  const auto planes = RowPlanes::of({Dtype::Q8_0, rows.data(), kBlocks * 32, kRow});
  ASSERT_TRUE(planes);
  std::vector<std::byte> apart(rows.size());
  planes->take_apart(rows, apart.data());
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const std::byte* block = rows.data() + row * kRow + b * 34;
      const std::byte* codes = apart.data() + row * kRow + b * 32;
      const std::byte* scale = apart.data() + row * kRow + kBlocks * 32 + b * 2;
      EXPECT_TRUE(std::equal(scale, scale + 2, block)) << row << ' ' << b;
      EXPECT_TRUE(std::equal(codes, codes + 32, block + 2)) << row << ' ' << b;
    }
  }
}

void expect_q6_k_planes(std::size_t n_blocks, std::size_t stride) {
  const std::size_t n_row = n_blocks * 210;
  const std::vector<std::byte> rows = some_rows(2 * n_row);
  const auto n_cols = static_cast<std::int64_t>(n_blocks * 256);
  const auto planes = RowPlanes::of({Dtype::Q6_K, rows.data(), n_cols, n_row});
  ASSERT_TRUE(planes);
  ASSERT_EQ(planes->stride, stride);
  std::vector<std::byte> apart(2 * stride);
  planes->take_apart(rows, apart.data());
  const std::size_t sizes[] = {128, 64, 16, 2};
  for (std::size_t i = 0; i < 2 * n_blocks; ++i) {
    const std::size_t row = i / n_blocks, b = i % n_blocks;
    std::size_t plane = row * stride, within = row * n_row + b * 210;
    for (const std::size_t n : sizes) {
      const std::byte* part = apart.data() + plane + b * n;
      EXPECT_TRUE(std::equal(part, part + n, rows.data() + within)) << i << ' ' << n;
      plane += n * n_blocks;
      within += n;
    }
  }
}

TEST(RowPlanesTest, Q6_KHasFourPlanesInTheOrderOfItsBlock) {
  expect_q6_k_planes(8, 1680);
}

TEST(RowPlanesTest, RowsThatEndShortlyBeforeSixteenBytesAreFilledUp) {
  expect_q6_k_planes(3, 640);
}

TEST(RowPlanesTest, RowsThatWouldGrowByMuchStayAsTheyAre) {
  EXPECT_FALSE(RowPlanes::of({Dtype::Q8_0, nullptr, 32, 34}));
  EXPECT_FALSE(RowPlanes::of({Dtype::Q6_K, nullptr, 256, 210}));
  EXPECT_FALSE(RowPlanes::of({Dtype::Q4_K, nullptr, 4096, 2304}));
}

}  // namespace
}  // namespace confab::engine
