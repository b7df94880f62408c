// SPDX-License-Identifier: MIT
#include "engine/remote/remote_chat_model.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::engine {
namespace {

std::vector<Turn> turns_of(std::size_t n_bytes) {
  return {{{"user", std::string(n_bytes, 'a')}}};
}

TEST(TokenEstimateTest, BeginsWithWhatIsUsual) {
  const TokenEstimate estimate;
  EXPECT_NEAR(estimate.count(turns_of(36'000)), 10'000, 100);
  EXPECT_EQ(estimate.count({}), 0);
  EXPECT_GT(estimate.count({{{"user", "日本語日本語"}}}), estimate.count({{{"user", "abcdef"}}}));
}

TEST(TokenEstimateTest, ComesNearToWhatTheEngineCounts) {
  TokenEstimate estimate;
  for (int i = 0; i < 8; ++i) estimate.learn(20'000, 1, 10'005);
  EXPECT_NEAR(estimate.count(turns_of(20'000)), 10'005, 200);
}

TEST(TokenEstimateTest, CountsThatCannotBeSpoilNothing) {
  TokenEstimate estimate;
  const int before = estimate.count(turns_of(1000));
  estimate.learn(1000, 1, 0);
  estimate.learn(10, 1, 900);
  EXPECT_EQ(estimate.count(turns_of(1000)), before);
  for (int i = 0; i < 20; ++i) estimate.learn(1000, 1, 1'000'000'000);
  EXPECT_LE(estimate.count(turns_of(1000)), 1010);
}

}  // namespace
}  // namespace confab::engine
