// SPDX-License-Identifier: MIT
#include "engine/constrain/components.h"

#include <gtest/gtest.h>

#include <random>

namespace confab::engine {
namespace {

using Edges = std::vector<std::vector<std::int32_t>>;

// [from][to]: by steps of any number, one at least.
std::vector<std::vector<bool>> reached(const Edges& edges) {
  const std::size_t n = edges.size();
  std::vector<std::vector<bool>> can(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (const std::int32_t to : edges[i]) can[i][static_cast<std::size_t>(to)] = true;
  for (std::size_t by = 0; by < n; ++by)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (can[i][by] && can[by][j]) can[i][j] = true;
  return can;
}

TEST(ComponentsTest, AreWhatIsReachedFromEachOther) {
  std::mt19937 rng(20261125);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + rng() % 12;
    Edges edges(n);
    for (std::size_t k = rng() % (2 * n + 1); k > 0; --k)
      edges[rng() % n].push_back(static_cast<std::int32_t>(rng() % n));
    const Components found = find_components(edges);
    const auto can = reached(edges);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(found.in_cycle(static_cast<std::int32_t>(i)), can[i][i]);
      for (std::size_t j = 0; j < n; ++j) {
        const bool is_one = i == j || (can[i][j] && can[j][i]);
        EXPECT_EQ(found.of[i] == found.of[j], is_one) << round << ": " << i << " " << j;
        EXPECT_TRUE(!can[i][j] || found.of[i] >= found.of[j]) << round << ": " << i << " " << j;
      }
    }
  }
}

TEST(ComponentsTest, LongChainsTakeNoStack) {
  constexpr std::int32_t kLong = 1'000'000;
  Edges edges(kLong);
  for (std::int32_t i = 0; i + 1 < kLong; ++i) edges[static_cast<std::size_t>(i)] = {i + 1};
  const Components chain = find_components(edges);
  EXPECT_EQ(chain.is_cycle.size(), static_cast<std::size_t>(kLong));
  EXPECT_FALSE(chain.in_cycle(0));
  edges.back() = {0};
  const Components ring = find_components(edges);
  EXPECT_EQ(ring.is_cycle.size(), 1U);
  EXPECT_TRUE(ring.in_cycle(0));
}

TEST(ComponentsTest, OfNothingThereAreNone) {
  EXPECT_TRUE(find_components({}).of.empty());
}

}  // namespace
}  // namespace confab::engine
