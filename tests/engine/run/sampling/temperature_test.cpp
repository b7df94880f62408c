// SPDX-License-Identifier: MIT
#include "engine/run/sampling/temperature.h"

#include <gtest/gtest.h>

#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

Temperature of(const SamplerParams& p) {
  return {p.temperature, p.dynatemp_range, p.dynatemp_exponent};
}

TEST(TemperatureTest, ZeroLeavesTheBestOfTheLowestId) {
  for (const std::size_t n : {4U, 5000U}) {
    std::vector<float> row(n, 1.0F);
    row[2] = row[3] = 7;
    Candidates found = candidates_of(row);
    apply_temperature(found, {.temperature = 0, .range = 0, .exponent = 1});
    EXPECT_EQ(ids_of(found), (std::set<Token>{2}));
  }
}

TEST(TemperatureTest, ADynamicOneFollowsTheEntropyAsDefined) {
  for (const std::size_t n : {2U, 12U, 500U, 4000U}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      for (const auto& row : {uniform_row(n, seed, 3), bell_row(n, seed)}) {
        for (const float exponent : {0.0F, 0.5F, 1.0F, 2.5F}) {
          const SamplerParams p{
              .temperature = 0.8F, .dynatemp_range = 0.5F, .dynatemp_exponent = exponent};
          Candidates found = candidates_of(row);
          apply_temperature(found, of(p));
          const double want = definition::dynamic_temperature(definition::choices_of(row), p);
          EXPECT_NEAR(found.temperature(), want, 1e-5) << n << ' ' << seed << ' ' << exponent;
        }
      }
    }
  }
}

TEST(TemperatureTest, ADynamicOneGoesFromTheLeastToTheMost) {
  const Temperature wide{.temperature = 1, .range = 3, .exponent = 1};  // from 0, not from -2
  Candidates sure = candidates_of({200, 0, 0});
  apply_temperature(sure, wide);
  EXPECT_LT(sure.temperature(), 1e-9);
  Candidates unsure = candidates_of({1, 1, 1});
  apply_temperature(unsure, wide);
  EXPECT_NEAR(unsure.temperature(), 4, 1e-12);
  Candidates certain = candidates_of({1e9F, 0, 0});
  apply_temperature(certain, wide);
  EXPECT_EQ(certain.size(), 1U) << "0: the best one alone";
  Candidates one = candidates_of({1});
  apply_temperature(one, wide);
  EXPECT_EQ(one.temperature(), 1);
}

TEST(TemperatureTest, OnlyAFixedOneOfZeroIsGreedy) {
  EXPECT_TRUE((Temperature{0, 0, 1}.is_greedy()));
  EXPECT_FALSE((Temperature{0, 0.5F, 1}.is_greedy()));
  EXPECT_FALSE((Temperature{0.1F, 0, 1}.is_greedy()));
}

}  // namespace
}  // namespace confab::engine
