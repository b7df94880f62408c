// SPDX-License-Identifier: MIT
#include "engine/run/sampling/softmax_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

struct Weighed {
  std::vector<float> weights;
  std::vector<double> block_sums;
  SoftmaxSums sums;
};

Weighed weigh(const std::vector<float>& row, double temperature = 1) {
  Weighed w{.weights = std::vector<float>(row.size()),
            .block_sums = std::vector<double>((row.size() + kWeightBlock - 1) / kWeightBlock),
            .sums = {}};
  w.sums =
      softmax_weights(row, *std::ranges::max_element(row), temperature, w.weights, w.block_sums);
  return w;
}

// Every length across the borders of lanes, stretches and blocks.
TEST(SoftmaxWeightsTest, AreTheSoftmaxAtEveryLength) {
  for (std::size_t n = 1; n <= 2 * kWeightBlock + 9; ++n) {
    const std::vector<float> row = uniform_row(n, n);
    const double best = *std::ranges::max_element(row);
    const Weighed w = weigh(row, 0.7);
    double total = 0, moment = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = (row[i] - best) / 0.7, want = std::exp(x);
      EXPECT_NEAR(w.weights[i], want, want * (1e-6 + 2e-7 * -x)) << n << ' ' << i;
      total += want;
      moment += want * x;
    }
    EXPECT_NEAR(w.sums.total, total, 1e-6 * total) << n;
    EXPECT_NEAR(w.sums.mean, moment / total, 1e-5) << n;
    const double of_blocks = std::accumulate(w.block_sums.begin(), w.block_sums.end(), 0.0);
    EXPECT_NEAR(of_blocks, w.sums.total, 1e-12 * total) << n;
  }
}

TEST(SoftmaxWeightsTest, EachBlocksSumIsOfItsOwnWeights) {
  const Weighed w = weigh(bell_row(5 * kWeightBlock + 77, 3));
  for (std::size_t block = 0; block < w.block_sums.size(); ++block) {
    const std::size_t begin = block * kWeightBlock;
    const std::size_t end = std::min(begin + kWeightBlock, w.weights.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += w.weights[i];
    EXPECT_NEAR(w.block_sums[block], sum, 1e-6 * sum) << block;
  }
}

TEST(SoftmaxWeightsTest, WhatIsFarBelowWeighsNothing) {
  const Weighed w = weigh({0, -86, -88, -1e30F, -3e38F, 3e-38F});
  EXPECT_EQ(w.weights[0], 1);
  EXPECT_GT(w.weights[1], 0);
  EXPECT_EQ(w.weights[2], 0);
  EXPECT_EQ(w.weights[3], 0);
  EXPECT_EQ(w.weights[4], 0);
  EXPECT_EQ(w.weights[5], 1);
}

TEST(SoftmaxWeightsTest, ExtremeTemperaturesAreNumbersStill) {
  const std::vector<float> row{1e30F, -1e30F, 0.9e30F, 5, 6};
  for (const double temperature : {1e-300, 1e-30, 1e30, 1e300}) {
    const Weighed w = weigh(row, temperature);
    EXPECT_EQ(w.weights[0], 1);
    EXPECT_EQ(w.weights[1] > 0, temperature >= 1e29) << temperature;
    EXPECT_TRUE(std::isfinite(w.sums.mean)) << temperature;
  }
}

}  // namespace
}  // namespace confab::engine
