// SPDX-License-Identifier: MIT
#include "engine/run/sampling/draw.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

// Few and very many candidates, of which some share most of what there is.
TEST(DrawTest, EachComesUpAsOftenAsItIsProbable) {
  constexpr int kDraws = 20000;
  for (const std::size_t n : {5U, 4000U}) {
    std::vector<float> row(n, -30.0F);
    row[n - 1] = row[n / 2] = 2;
    row[0] = 1;
    Candidates found = candidates_of(row);
    Pcg32 random(20250611);
    std::map<Token, int> counts;
    for (int i = 0; i < kDraws; ++i) ++counts[draw(found, random).token];
    const auto want = definition::distribution(
        SamplerParams{.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0}, row);
    double sum = 0;
    for (const auto& [token, p] : want) {
      if (p < 1e-4) continue;
      sum += std::pow(counts[token] - kDraws * p, 2) / (kDraws * p);
    }
    EXPECT_LT(sum, 18.4) << n;  // two degrees of freedom: once in ten thousand seeds
  }
}

TEST(DrawTest, EachBlockOfManyIsReached) {
  const std::vector<float> row(5000, 1.0F);
  Candidates found = candidates_of(row);
  Pcg32 random(7);
  std::map<std::size_t, int> blocks;
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) {
    const Drawn drawn = draw(found, random);
    EXPECT_NEAR(drawn.probability, 1.0 / 5000, 1e-12);
    ++blocks[static_cast<std::size_t>(drawn.token) / kWeightBlock];
  }
  EXPECT_EQ(blocks.size(), 20U);
  double sum = 0;
  for (const auto& [block, count] : blocks) {
    const double want = kDraws * (block < 19 ? 256.0 : 136.0) / 5000;
    sum += (count - want) * (count - want) / want;
  }
  EXPECT_LT(sum, 52);  // 19 degrees of freedom: once in ten thousand seeds
}

TEST(DrawTest, TheProbabilityIsAmongTheCandidates) {
  Candidates found = candidates_of({1, 1, 1, 1, -40});
  found.keep_best(2);
  Pcg32 random(1);
  EXPECT_EQ(draw(found, random).probability, 0.5);
}

TEST(DrawTest, WhatWeighsNothingIsNeverDrawn) {
  for (const std::size_t n : {4U, 2000U}) {
    std::vector<float> row(n, -3e38F);
    row[n - 2] = 0;
    Candidates found = candidates_of(row);
    Pcg32 random(5);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(draw(found, random).token, static_cast<Token>(n - 2));
  }
}

}  // namespace
}  // namespace confab::engine
