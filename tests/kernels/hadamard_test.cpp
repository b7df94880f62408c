// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>

#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

class HadamardTest : public testing::EveryTable {};
INSTANTIATE_TEST_SUITE_P(Isa, HadamardTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

// Entry (i, j) of the matrix is -1 to the number of bits that i and j share, over sqrt(block).
double entry(std::size_t i, std::size_t j, int block) {
  const double sign = std::popcount(i & j) % 2 == 0 ? 1 : -1;
  return sign / std::sqrt(static_cast<double>(block));
}

TEST_P(HadamardTest, MultipliesEachBlockByTheMatrix) {
  std::mt19937 rng(51);
  for (const int block : {64, 128, 256, 512}) {
    const auto n = static_cast<std::size_t>(block);
    const auto x = testing::random_floats(rng, 3 * n);
    auto y = x;
    y.push_back(7);
    table().hadamard(y.data(), 3 * block, block);
    for (std::size_t r = 0; r < 3 * n; ++r) {
      double want = 0;
      for (std::size_t c = 0; c < n; ++c)
        want += entry(r % n, c, block) * static_cast<double>(x[r / n * n + c]);
      // Values of order 1 after log2(block) additions of rounded values.
      ASSERT_NEAR(static_cast<double>(y[r]), want, 10 * 0x1p-22) << block << " " << r;
    }
    ASSERT_EQ(y[3 * n], 7) << "wrote past the end";
  }
}

TEST_P(HadamardTest, IsItsOwnInverse) {
  std::mt19937 rng(52);
  const auto x = testing::random_floats(rng, 384);
  auto y = x;
  table().hadamard(y.data(), 384, 128);
  EXPECT_NE(y, x);
  table().hadamard(y.data(), 384, 128);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], x[i], 1e-5F) << i;
}

TEST_P(HadamardTest, BitsAreThoseOfScalar) {
  std::mt19937 rng(53);
  for (const int block : {64, 128, 256}) {
    for (const std::size_t shift : {0, 4, 20}) {
      const auto x = testing::random_floats(rng, 512, 5);
      auto want = x;
      kScalarTable.hadamard(want.data(), 512, block);
      testing::Misaligned bytes(x.data(), 512 * sizeof(float), shift);
      auto* got = reinterpret_cast<float*>(bytes.data());
      table().hadamard(got, 512, block);
      ASSERT_EQ(std::vector<float>(got, got + 512), want) << block;
    }
  }
}

TEST_P(HadamardTest, SpreadsAnOutlier) {
  std::vector<float> x(64, 0.0F);
  x[37] = 80;
  table().hadamard(x.data(), 64, 64);
  for (const float v : x) EXPECT_EQ(std::fabs(v), 10);
}

}  // namespace
}  // namespace confab::kernels
