// SPDX-License-Identifier: MIT
// A set that is emptied at no cost is a set all the same.
#include "engine/constrain/round_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace confab::engine {
namespace {

// All values of a hundred share a hash.
struct Coarse {
  std::uint64_t operator()(int value) const noexcept {
    return static_cast<std::uint64_t>(value / 100) * 0x9e3779b97f4a7c15U;
  }
};

TEST(RoundSetTest, RoundsOfValuesAreThoseOfASet) {
  std::mt19937 rng(20261125);
  RoundSet<int, Coarse> set;
  for (int round = 0; round < 50; ++round) {
    std::set<int> expected;
    const int n = static_cast<int>(rng() % 1500);
    for (int i = 0; i < n; ++i) {
      const int value = static_cast<int>(rng() % 1000);
      ASSERT_EQ(set.insert(value), expected.insert(value).second) << value;
      ASSERT_EQ(set.size(), expected.size());
    }
    set.clear();
    EXPECT_EQ(set.size(), 0U);
  }
}

}  // namespace
}  // namespace confab::engine
