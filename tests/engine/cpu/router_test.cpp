// SPDX-License-Identifier: MIT
// Choices of experts computed by hand, on every instruction set.
#include "engine/cpu/router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/engine/cpu/run_model.h"

namespace confab::engine {
namespace {

class RouterTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  std::vector<ChosenExpert> choose(const ExpertHparams& hp, std::vector<float> logits,
                                   const std::vector<float>& bias = {}) {
    std::vector<ChosenExpert> chosen(static_cast<std::size_t>(hp.n_expert_used));
    choose_experts(hp, *GetParam(), logits.data(), bias.empty() ? nullptr : bias.data(),
                   chosen.data());
    return chosen;
  }

  static void expect(const std::vector<ChosenExpert>& chosen, const std::vector<int>& ids,
                     const std::vector<double>& weights) {
    ASSERT_EQ(chosen.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(chosen[i].id, ids[i]) << i;
      EXPECT_NEAR(static_cast<double>(chosen[i].weight), weights[i], 1e-6 * weights[i]) << i;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, RouterTest, all_tables(), table_name);

// e^logit is 1, 4, 2, 3 and 10 of 20 in all.
const std::vector<float> kLogits{std::log(1.0F), std::log(4.0F), std::log(2.0F), std::log(3.0F),
                                 std::log(10.0F)};

TEST_P(RouterTest, SoftmaxWeighsByTheShareAmongAll) {
  expect(choose({.n_expert = 5, .n_expert_used = 2}, kLogits), {1, 4}, {0.2, 0.5});
}

TEST_P(RouterTest, NormalisedWeightsSumToOne) {
  expect(choose({.n_expert = 5, .n_expert_used = 2, .normalise_weights = true}, kLogits), {1, 4},
         {4.0 / 14, 10.0 / 14});
}

TEST_P(RouterTest, ScaleComesLast) {
  expect(
      choose({.n_expert = 5, .n_expert_used = 2, .normalise_weights = true, .weights_scale = 2.5F},
             kLogits),
      {1, 4}, {10.0 / 14, 25.0 / 14});
}

TEST_P(RouterTest, SigmoidWeighsEachByItself) {
  const ExpertHparams hp{.n_expert = 5, .n_expert_used = 3, .gating = ExpertGating::sigmoid};
  expect(choose(hp, kLogits), {1, 3, 4}, {4.0 / 5, 3.0 / 4, 10.0 / 11});
}

TEST_P(RouterTest, SoftmaxOfTheChosenIgnoresTheOthers) {
  const ExpertHparams hp{
      .n_expert = 5, .n_expert_used = 3, .gating = ExpertGating::softmax_of_chosen};
  expect(choose(hp, kLogits), {1, 3, 4}, {4.0 / 17, 3.0 / 17, 10.0 / 17});
}

TEST_P(RouterTest, SelectionBiasChoosesButDoesNotWeigh) {
  // Scores 0.05, 0.2, 0.1, 0.15, 0.5 of which the bias makes 0.55, 0.2, 0.5, 0.15, 0.1.
  expect(choose({.n_expert = 5, .n_expert_used = 2}, kLogits, {0.5F, 0, 0.4F, 0, -0.4F}), {0, 2},
         {0.05, 0.1});
}

TEST_P(RouterTest, EqualScoresGoToTheLowerId) {
  const ExpertHparams hp{.n_expert = 6, .n_expert_used = 3, .normalise_weights = true};
  expect(choose(hp, std::vector<float>(6, 0.5F)), {0, 1, 2}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  expect(choose(hp, {0, 2, 0, 2, 0, 2}), {1, 3, 5}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  const double e = std::exp(1.0);
  expect(choose(hp, {0, 0, 1, 0, 0, 0}), {0, 1, 2}, {1 / (2 + e), 1 / (2 + e), e / (2 + e)});
}

TEST_P(RouterTest, OnlyTheBestGroupsAreChosenFrom) {
  // The two best of each group of three sum to 6.5, 8 and 7: the first group is out, although it
  // has the best expert of all.
  const std::vector<float> logits{6, 0.5F, 0, 4, 4, 1, 5, 2, 0};
  ExpertHparams hp{.n_expert = 9,
                   .n_expert_used = 3,
                   .gating = ExpertGating::softmax_of_chosen,
                   .n_group = 3,
                   .n_group_used = 2};
  const double sum = 2 * std::exp(4.0) + std::exp(5.0);
  expect(choose(hp, logits), {3, 4, 6},
         {std::exp(4.0) / sum, std::exp(4.0) / sum, std::exp(5.0) / sum});
  hp.n_group = hp.n_group_used = 1;
  EXPECT_EQ(choose(hp, logits)[0].id, 0) << "without groups the best one is chosen";
}

TEST_P(RouterTest, GroupsAreJudgedWithTheSelectionBias) {
  const ExpertHparams hp{.n_expert = 4,
                         .n_expert_used = 2,
                         .gating = ExpertGating::sigmoid,
                         .n_group = 2,
                         .n_group_used = 1};
  const std::vector<float> logits{0, 0, std::log(3.0F), std::log(3.0F)};
  expect(choose(hp, logits), {2, 3}, {0.75, 0.75});
  expect(choose(hp, logits, {0.5F, 0.1F, 0, 0}), {0, 1}, {0.5, 0.5});
}

TEST_P(RouterTest, TinySumsDoNotBlowUp) {
  const ExpertHparams hp{.n_expert = 2,
                         .n_expert_used = 1,
                         .gating = ExpertGating::sigmoid,
                         .normalise_weights = true};
  const double score = 1 / (1 + std::exp(30.0));
  expect(choose(hp, {-30, -40}), {0}, {score * 16384});
}

TEST_P(RouterTest, LogitsThatAreNoNumbersGiveIdsInRange) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  for (const ExpertGating gating :
       {ExpertGating::softmax, ExpertGating::sigmoid, ExpertGating::softmax_of_chosen}) {
    for (const int n_group : {1, 2}) {
      const ExpertHparams hp{.n_expert = 8,
                             .n_expert_used = 4,
                             .gating = gating,
                             .n_group = n_group,
                             .n_group_used = 1,
                             .normalise_weights = true};
      for (const auto& logits : {std::vector<float>(8, nan), std::vector<float>(8, -infinity),
                                 std::vector<float>{nan, 1, infinity, nan, 0, -infinity, 2, nan}}) {
        const std::vector<ChosenExpert> chosen = choose(hp, logits);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
          EXPECT_GE(chosen[i].id, i == 0 ? 0 : chosen[i - 1].id + 1);
          EXPECT_LT(chosen[i].id, 8);
        }
      }
    }
  }
}

TEST_P(RouterTest, AgreesWithSortingAtManySizes) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<float> uniform(-3, 3);
  for (const int n : {1, 2, 7, 60, 128, 1024}) {
    for (const int n_used : {1, 2, 6, 8, 60}) {
      if (n_used > n) continue;
      std::vector<float> logits(static_cast<std::size_t>(n));
      for (float& logit : logits) logit = uniform(rng);
      std::vector<float> sorted = logits;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      const auto chosen = choose(
          {.n_expert = n, .n_expert_used = n_used, .gating = ExpertGating::softmax_of_chosen},
          logits);
      int id = -1;
      for (const ChosenExpert& one : chosen) {
        EXPECT_GT(one.id, id);
        id = one.id;
        EXPECT_GE(logits[static_cast<std::size_t>(id)],
                  sorted[static_cast<std::size_t>(n_used - 1)]);
      }
    }
  }
}

}  // namespace
}  // namespace confab::engine
