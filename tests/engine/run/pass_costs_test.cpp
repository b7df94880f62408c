// SPDX-License-Identifier: MIT
#include "engine/run/pass_costs.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr int kMost = PassCosts::kMostRows;

TEST(PassCostsTest, BeforeAnythingIsKnownARowMoreCostsATwentieth) {
  const PassCosts costs;
  EXPECT_FALSE(costs.is_known(1));
  EXPECT_DOUBLE_EQ(costs.of(1), 1);
  EXPECT_NEAR(costs.of(5), 1.2, 1e-9);
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.5);
  EXPECT_DOUBLE_EQ(costs.at_most(5), 5);
}

TEST(PassCostsTest, AreMultiplesOfAPassOfOneRow) {
  PassCosts costs;
  costs.record(1, Seconds(0.2));
  costs.record(4, Seconds(0.3));
  EXPECT_TRUE(costs.is_known(4));
  EXPECT_NEAR(costs.of(4), 1.5, 1e-9);
}

TEST(PassCostsTest, LieOnALineBetweenThoseSeenAndOnAFlatterOneBeyond) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(5, Seconds(3));
  EXPECT_NEAR(costs.of(3), 2, 1e-9);
  EXPECT_NEAR(costs.of(9), 4, 1e-9);
}

TEST(PassCostsTest, WithoutAPassOfOneRowItIsAssumed) {
  PassCosts costs;
  costs.record(5, Seconds(1.2));
  EXPECT_FALSE(costs.is_known(1));
  EXPECT_NEAR(costs.of(5), 1.2, 1e-9);
  costs.record(1, Seconds(0.4));
  EXPECT_NEAR(costs.of(5), 3, 1e-9);
}

// As several shorter ones that are known.
TEST(PassCostsTest, AreBoundedBeforeTheyAreKnown) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.5);
  EXPECT_DOUBLE_EQ(costs.at_most(3), 3);
  costs.record(2, Seconds(1.1));
  EXPECT_NEAR(costs.at_most(2), 1.1, 1e-9);
  EXPECT_NEAR(costs.at_most(3), 2.2, 1e-9);
  EXPECT_NEAR(costs.at_most(8), 4.4, 1e-9);
  costs.record(8, Seconds(1.5));
  EXPECT_NEAR(costs.at_most(3), 1.5, 1e-9);
  EXPECT_NEAR(costs.at_most(kMost), 3, 1e-9);
}

TEST(PassCostsTest, OfTwoRowsOnePassAloneIsNotBelieved) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(2, Seconds(9));
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.5);
  costs.record(2, Seconds(1.9));
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.9);
}

TEST(PassCostsTest, OnePassThatTookLongChangesNothing) {
  PassCosts costs;
  for (int i = 0; i < 5; ++i) {
    costs.record(1, Seconds(1));
    costs.record(4, Seconds(2));
  }
  costs.record(1, Seconds(100));
  costs.record(4, Seconds(100));
  EXPECT_DOUBLE_EQ(costs.of(4), 2);
  EXPECT_DOUBLE_EQ(costs.of_last(), 4);
}

TEST(PassCostsTest, APassCostsNoMoreThanOneForEachRow) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(2, Seconds(7));
  EXPECT_EQ(costs.n_seen(2), 1);
  EXPECT_DOUBLE_EQ(costs.of(2), 2);
  EXPECT_DOUBLE_EQ(costs.of_last(), 2);
}

TEST(PassCostsTest, APassCostsNoMoreThanALongerOne) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(2, Seconds(5));
  costs.record(8, Seconds(2));
  EXPECT_DOUBLE_EQ(costs.of(2), 2);
}

TEST(PassCostsTest, WhatIsNotSeenAgainIsForgotten) {
  PassCosts costs;
  costs.record(4, Seconds(9));
  for (int i = 0; i < PassCosts::kRemembered; ++i) costs.record(1, Seconds(1));
  EXPECT_TRUE(costs.is_known(4));
  costs.record(1, Seconds(1));
  EXPECT_FALSE(costs.is_known(4));
  costs.record(4, Seconds(2));
  EXPECT_DOUBLE_EQ(costs.of(4), 2);
}

TEST(PassCostsTest, LongPassesTeachNothing) {
  PassCosts costs;
  costs.record(kMost + 1, Seconds(1));
  costs.record(512, Seconds(1));
  EXPECT_NEAR(costs.of(kMost), 1.75, 1e-9);
}

TEST(PassCostsTest, ATimeOfZeroIsATime) {
  PassCosts costs;
  costs.record(1, Seconds(0));
  costs.record(2, Seconds(0));
  EXPECT_DOUBLE_EQ(costs.of(2), 1);
}

}  // namespace
}  // namespace confab::engine
