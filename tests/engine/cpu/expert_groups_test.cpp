// SPDX-License-Identifier: MIT
#include "engine/cpu/router.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace confab::engine {
namespace {

TEST(ExpertGroupsTest, GroupsRowsByExpertThenToken) {
  const ExpertHparams hp{.n_expert = 5, .n_expert_used = 2};
  const std::vector<ChosenExpert> chosen{{1, 0.1F}, {4, 0.2F}, {0, 0.3F},
                                         {4, 0.4F}, {1, 0.5F}, {4, 0.6F}};
  std::vector<ExpertRow> rows(6);
  std::vector<ExpertGroup> groups(5);
  ASSERT_EQ(group_by_expert(hp, chosen.data(), 3, rows.data(), groups.data()), 3);
  EXPECT_EQ(groups[0].expert, 0);
  EXPECT_EQ(groups[0].begin, 0);
  EXPECT_EQ(groups[0].end, 1);
  EXPECT_EQ(groups[1].expert, 1);
  EXPECT_EQ(groups[1].begin, 1);
  EXPECT_EQ(groups[1].end, 3);
  EXPECT_EQ(groups[2].expert, 4);
  EXPECT_EQ(groups[2].begin, 3);
  EXPECT_EQ(groups[2].end, 6);
  const std::vector<int> tokens{1, 0, 2, 0, 1, 2};
  const std::vector<float> weights{0.3F, 0.1F, 0.5F, 0.2F, 0.4F, 0.6F};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].token, tokens[i]) << i;
    EXPECT_EQ(rows[i].weight, weights[i]) << i;
  }
}

TEST(ExpertGroupsTest, EveryChoiceIsARowOfItsExpert) {
  std::mt19937 rng(5);
  for (const int n_tokens : {1, 2, 7, 64}) {
    const ExpertHparams hp{.n_expert = 16, .n_expert_used = 3};
    std::vector<ChosenExpert> chosen;
    for (int t = 0; t < n_tokens; ++t) {
      std::set<int> ids;
      while (ids.size() < 3) ids.insert(static_cast<int>(rng() % 16));
      for (const int id : ids) chosen.push_back({id, static_cast<float>(100 * t + id)});
    }
    std::vector<ExpertRow> rows(chosen.size());
    std::vector<ExpertGroup> groups(16);
    const int n = group_by_expert(hp, chosen.data(), n_tokens, rows.data(), groups.data());
    int next = 0, expert = -1;
    for (int g = 0; g < n; ++g) {
      const ExpertGroup& group = groups[static_cast<std::size_t>(g)];
      EXPECT_EQ(group.begin, next);
      EXPECT_GT(group.end, group.begin);
      EXPECT_GT(group.expert, expert);
      for (int i = group.begin; i < group.end; ++i) {
        const ExpertRow& row = rows[static_cast<std::size_t>(i)];
        EXPECT_EQ(row.weight, static_cast<float>(100 * row.token + group.expert));
      }
      next = group.end;
      expert = group.expert;
    }
    EXPECT_EQ(next, 3 * n_tokens);
  }
}

}  // namespace
}  // namespace confab::engine
