// SPDX-License-Identifier: MIT
#include "engine/run/sampling/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/error.h"
#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::size_t> sizes() {
  return {1, 2, 63, 64, 65, 512, 513, 1000, 4099, 20000};
}

void expect_ids(const Candidates& found, const definition::Choices& want) {
  std::set<Token> ids;
  for (const definition::Choice& c : want) ids.insert(c.id);
  EXPECT_EQ(ids_of(found), ids);
  EXPECT_EQ(double{found.best()}, want[0].logit);
}

TEST(CandidatesTest, AllTokensOfARowAreThere) {
  for (const std::size_t n : sizes()) {
    const std::vector<float> row = uniform_row(n, n);
    const Candidates all = candidates_of(row);
    EXPECT_EQ(all.are_few(), n <= Candidates::kFew);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(all.logits()[i], row[static_cast<std::size_t>(all.id(i))]);
    expect_ids(all, definition::choices_of(row));
  }
}

TEST(CandidatesTest, FewAreInTheOrderOfTheirLogits) {
  const Candidates few = candidates_of({1, 3, 2, 3, -0.0F, 0});
  std::vector<Token> ids;
  for (std::size_t i = 0; i < few.size(); ++i) ids.push_back(few.id(i));
  EXPECT_EQ(ids, (std::vector<Token>{1, 3, 2, 0, 4, 5}));
}

TEST(CandidatesTest, WhatIsNoNumberIsNoCandidate) {
  for (const std::size_t n : {5U, 700U, 5000U}) {
    std::vector<float> row = uniform_row(n, 3);
    Pcg32 random(n);
    for (float& logit : row) {
      const std::uint32_t kind = random.next() % 10;
      if (kind < 6) logit = -kInfinity;
      if (kind == 6) logit = kInfinity;
      if (kind == 7) logit = kNan;
    }
    row[n / 2] = 1;
    expect_ids(candidates_of(row), definition::choices_of(row));
  }
  for (const std::size_t n : {3U, 5000U}) {
    for (const float nothing : {-kInfinity, kInfinity, kNan}) {
      const std::vector<float> row(n, nothing);
      EXPECT_THROW(candidates_of(row), ModelError);
    }
  }
}

TEST(CandidatesTest, TheBestAreThoseOfASort) {
  for (const std::size_t n : sizes()) {
    for (const auto& row :
         {uniform_row(n, 1), bell_row(n, 2), stepped_row(n, 3), std::vector<float>(n, 2.0F)}) {
      for (const std::size_t k : {1U, 5U, 40U, 600U, 3000U, 30000U}) {
        Candidates found = candidates_of(row);
        found.keep_best(k);
        definition::Choices want = definition::choices_of(row);
        definition::top_k(want, k);
        expect_ids(found, want);
        std::vector<float> best(std::min(k, n) / 2 + 1);
        found.copy_best(best);
        for (std::size_t i = 0; i < best.size(); ++i) EXPECT_EQ(double{best[i]}, want[i].logit);
      }
    }
  }
}

TEST(CandidatesTest, WeightsAreOfLogitsByTheTemperature) {
  for (const std::size_t n : {300U, 3000U}) {
    const std::vector<float> row = bell_row(n, 9);
    Candidates all = candidates_of(row);
    all.divide(2);
    all.divide(0.75);
    EXPECT_EQ(all.temperature(), 1.5);
    const SoftmaxSums sums = all.weigh();
    definition::Choices want = definition::choices_of(row);
    definition::temperature(want, 1.5);
    EXPECT_NEAR(std::log(sums.total) - sums.mean, definition::entropy(want), 1e-5);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(all.weight(i), std::exp((double{all.logits()[i]} - all.best()) / 1.5), 1e-5);
  }
}

TEST(CandidatesTest, ABarIsTheLeastLogitOfThatWeight) {
  const std::vector<float> row = bell_row(3000, 4);
  Candidates all = candidates_of(row);
  all.divide(1.25);
  const auto weight = [&](float logit) {
    return std::exp((double{logit} - all.best()) / all.temperature());
  };
  for (const double least : {1e-30, 1e-6, 0.05, 0.3, 0.999}) {
    const float bar = all.bar_of(least);
    EXPECT_GE(weight(bar), least * (1 - 1e-13));
    EXPECT_LT(weight(std::nextafter(bar, -kInfinity)), least * (1 + 1e-13));
  }
  EXPECT_EQ(all.bar_of(1), all.best());
  EXPECT_EQ(all.bar_of(0), std::numeric_limits<float>::lowest());
}

TEST(CandidatesTest, EditsReachTheirTokensAtAnyTime) {
  const std::vector<LogitEdit> edits{{.token = 7, .divisor = 2, .less = 1},
                                     {.token = 2, .divisor = 2},
                                     {.token = 900, .less = -9},
                                     {.token = 11, .less = kInfinity}};
  for (const int k : {0, 1000, 2500, 300}) {  // not before they are edited; then many; then few
    std::vector<float> row = uniform_row(3000, 8, 4);
    row[7] = row[11] = 50;
    row[2] = -1;
    row[900] = 49;
    Candidates found = candidates_of(row);
    definition::Choices want = definition::choices_of(row);
    if (k > 0) {
      found.keep_best(static_cast<std::size_t>(k));
      definition::top_k(want, static_cast<std::size_t>(k));
    }
    found.edit(edits);
    found.settle();
    for (definition::Choice& c : want) {
      if (c.id == 7) c.logit = 24;
      if (c.id == 2) c.logit = -2;
      if (c.id == 900) c.logit = 58;
    }
    std::erase_if(want, [](const definition::Choice& c) { return c.id == 11; });
    definition::sort(want);
    expect_ids(found, want);
    found.keep_best(5);
    definition::top_k(want, 5);
    expect_ids(found, want);
  }
}

TEST(CandidatesTest, EditsAfterATemperatureAreOfDividedLogits) {
  Candidates found = candidates_of({4, 3, 2});
  found.divide(2);
  found.edit(std::vector<LogitEdit>{{.token = 0, .less = 1}});
  found.settle();
  EXPECT_EQ(found.temperature(), 1);
  EXPECT_EQ(found.logits()[0], 1.5F);  // of token 1
  EXPECT_EQ(found.logits()[1], 1);
  EXPECT_EQ(found.id(0), 1);
}

TEST(CandidatesTest, TheRowIsNotChangedAndTheNextOneIsTakenAnew) {
  const std::vector<float> row = uniform_row(2000, 5), before = row;
  Candidates found(2000);
  for (int i = 0; i < 3; ++i) {
    found.begin(row);
    found.edit(std::vector<LogitEdit>{{.token = 3, .less = 5}});
    found.settle();
    found.divide(3);
    found.keep_best(10);
    EXPECT_EQ(row, before);
  }
  found.begin(row);
  found.settle();
  expect_ids(found, definition::choices_of(row));
}

TEST(CandidatesTest, AboveTheLastOneAllAreDropped) {
  for (const std::size_t n : {6U, 3000U}) {
    std::vector<float> row(n, -5.0F);
    row[1] = 3;
    row[2] = 5;
    row[4] = 3;
    Candidates found = candidates_of(row);
    EXPECT_EQ(found.drop_above_last(5.5F), 0U);
    EXPECT_EQ(found.drop_above_last(4), 0U) << "it is the only one";
    EXPECT_EQ(found.size(), n);
    EXPECT_EQ(found.drop_above_last(3), 2U);
    EXPECT_EQ(found.size(), n - 2);
    EXPECT_EQ(found.best(), 3);
    EXPECT_TRUE(ids_of(found).contains(4)) << "of equal ones the last";
    EXPECT_FALSE(ids_of(found).contains(1));
  }
}

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
