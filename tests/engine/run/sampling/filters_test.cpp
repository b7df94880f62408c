// SPDX-License-Identifier: MIT
// Each filter against its definition, over small and large vocabularies.
#include "engine/run/sampling/filters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

using definition::Choices;
using Filter = std::function<void(Candidates&)>;
using Definition = std::function<void(Choices&)>;

std::set<Token> ids_of(const Choices& choices) {
  std::set<Token> ids;
  for (const definition::Choice& c : choices) ids.insert(c.id);
  return ids;
}

std::size_t n_different(const std::set<Token>& a, const std::set<Token>& b) {
  std::vector<Token> different;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(different));
  return different.size();
}

// Of very many tokens the weights are in single precision: then a token at the border may be taken
// for one beyond it, seldom.
void expect_as_defined(const Filter& filter, const Definition& define, double temperature = 1) {
  int n_at_border = 0;
  for (const std::size_t n : {1U, 2U, 12U, 300U, 512U, 513U, 3000U, 8001U}) {
    for (std::uint64_t seed = 0; seed < (n < 1000 ? 20 : 4); ++seed) {
      for (const auto& row : {uniform_row(n, seed, 6), bell_row(n, seed), stepped_row(n, seed)}) {
        Candidates found = candidates_of(row);
        found.divide(temperature);
        filter(found);
        Choices want = definition::choices_of(row);
        definition::temperature(want, temperature);
        define(want);
        const std::size_t n_off = n_different(ids_of(found), ids_of(want));
        ASSERT_LE(n_off, n > Candidates::kFew ? 1U : 0U) << n << ' ' << seed;
        n_at_border += n_off > 0 ? 1 : 0;
        if (n_off == 0) {
          EXPECT_EQ(float(want[0].logit * temperature), found.best()) << n << ' ' << seed;
        }
      }
    }
  }
  EXPECT_LE(n_at_border, 3);
}

TEST(FiltersTest, TopPIsAsDefined) {
  for (const float p : {0.0F, 0.1F, 0.5F, 0.9F, 0.95F, 0.999F})
    expect_as_defined([p](Candidates& c) { keep_top_p(c, p); },
                      [p](Choices& c) { definition::top_p(c, p); }, p == 0.5F ? 0.7 : 1);
}

TEST(FiltersTest, MinPIsAsDefined) {
  for (const float p : {1e-9F, 0.001F, 0.05F, 0.3F, 1.0F})
    expect_as_defined([p](Candidates& c) { keep_min_p(c, p); },
                      [p](Choices& c) { definition::min_p(c, p); }, p == 0.05F ? 1.5 : 1);
}

TEST(FiltersTest, TypicalIsAsDefined) {
  for (const float p : {0.05F, 0.2F, 0.5F, 0.9F, 0.99F})
    expect_as_defined([p](Candidates& c) { keep_typical(c, p); },
                      [p](Choices& c) { definition::typical(c, p); }, p == 0.2F ? 0.6 : 1);
}

TEST(FiltersTest, TypicalMayLeaveTheLikeliestOut) {
  // The surprise of the last four, 2.8 bits, is nearer to the entropy of 2.1 than the first one's
  // of 1.2.
  const std::vector<double> p{0.44, 0.14, 0.14, 0.14, 0.14};
  std::vector<float> row;
  for (const double x : p) row.push_back(static_cast<float>(std::log(x)));
  Candidates found = candidates_of(row);
  keep_typical(found, 0.5F);
  EXPECT_EQ(ids_of(found), (std::set<Token>{1, 2, 3, 4}));
}

TEST(FiltersTest, TopNSigmaIsAsDefined) {
  for (const float n : {0.1F, 0.5F, 1.0F, 2.5F, 100.0F})
    expect_as_defined([n](Candidates& c) { keep_top_n_sigma(c, n); },
                      [n](Choices& c) { definition::top_n_sigma(c, n); }, n == 1.0F ? 3 : 1);
}

TEST(FiltersTest, TopNSigmaOfEqualLogitsKeepsAllHoweverLargeTheyAre) {
  for (const float logit : {0.0F, 1e30F, -3e38F}) {
    const std::vector<float> row(700, logit);
    Candidates found = candidates_of(row);
    keep_top_n_sigma(found, 1);
    EXPECT_EQ(found.size(), 700U);
  }
}

TEST(FiltersTest, XtcIsAsDefinedWhenItApplies) {
  for (const float threshold : {0.0F, 0.001F, 0.05F, 0.1F, 0.3F, 0.5F})
    expect_as_defined(
        [threshold](Candidates& c) {
          Pcg32 random(1);
          exclude_top_choices(c, {.probability = 1, .threshold = threshold}, random);
        },
        [threshold](Choices& c) { definition::xtc(c, threshold); }, threshold == 0.1F ? 1.3 : 1);
}

TEST(FiltersTest, XtcNeedsTwoAndLeavesTheLastOneAboveTheThreshold) {
  const auto kept = [](const std::vector<double>& p, float threshold) {
    std::vector<float> row;
    for (const double x : p) row.push_back(static_cast<float>(std::log(x)));
    Candidates found = candidates_of(row);
    Pcg32 random(3);
    exclude_top_choices(found, {.probability = 1, .threshold = threshold}, random);
    return ids_of(found);
  };
  EXPECT_EQ(kept({0.4, 0.3, 0.2, 0.1}, 0.15F), (std::set<Token>{2, 3}));
  EXPECT_EQ(kept({0.4, 0.3, 0.2, 0.1}, 0.35F), (std::set<Token>{0, 1, 2, 3})) << "one alone";
  EXPECT_EQ(kept({0.4, 0.3, 0.2, 0.1}, 0.5F), (std::set<Token>{0, 1, 2, 3})) << "none";
  EXPECT_EQ(kept({0.4, 0.3, 0.2, 0.1}, 0.01F), (std::set<Token>{3})) << "all are";
  EXPECT_EQ(kept({1}, 0.01F), (std::set<Token>{0}));
}

TEST(FiltersTest, XtcAppliesAsOftenAsItsProbabilitySays) {
  Pcg32 random(20250611);
  int n_applied = 0;
  for (int i = 0; i < 4000; ++i) {
    Candidates found = candidates_of({2, 2, 1});
    exclude_top_choices(found, {.probability = 0.3F, .threshold = 0.1F}, random);
    n_applied += found.size() < 3 ? 1 : 0;
  }
  EXPECT_NEAR(n_applied, 1200, 100);  // 3.5 standard deviations; the seed is fixed
}

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
