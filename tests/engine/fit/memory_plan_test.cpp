// SPDX-License-Identifier: MIT
#include "engine/fit/memory_plan.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

MemoryPlan mixture(std::uint64_t available) {
  return {.weights_bytes = 990,
          .kv_bytes = 60,
          .spare_bytes = 20,
          .scratch_bytes = 50,
          .draft_rows_bytes = 10,
          .draft_bytes = 100,
          .draft_mapped_bytes = 70,
          .expert_bytes = 800,
          .expert_token_bytes = 80,
          .process_bytes = 5,
          .process_mapped_bytes = 6,
          .available_bytes = available};
}

TEST(MemoryPlanTotalsTest, AnonymousAndMappedAreToldApart) {
  const MemoryPlan plan = mixture(1200);
  EXPECT_EQ(plan.total_bytes(), 1200U);
  EXPECT_EQ(plan.anonymous_bytes(), 5U + 40 + 40 + 30);
  EXPECT_EQ(plan.mapped_bytes(), 6U + 990 + 70);
  EXPECT_EQ(plan.peak_bytes(), plan.anonymous_bytes() + plan.mapped_bytes());
}

TEST(MemoryPlanTotalsTest, AMixtureMayBeLargerThanMemory) {
  EXPECT_TRUE(mixture(1200).fits());
  EXPECT_FALSE(mixture(1199).fits());
  EXPECT_EQ(mixture(0).resident_bytes(), 400U);
  EXPECT_TRUE(mixture(480).fits_but_for_experts());
  EXPECT_FALSE(mixture(479).fits_but_for_experts()) << "not even those of one token";
  MemoryPlan dense = mixture(1199);
  dense.expert_bytes = dense.expert_token_bytes = 0;
  EXPECT_FALSE(dense.fits_but_for_experts());
}

// Half of the experts are in memory, so half of a token's are read.
TEST(MemoryPlanTotalsTest, WhatATokenReadsFromTheDiskIsItsShareOfWhatIsMissing) {
  EXPECT_DOUBLE_EQ(mixture(1200).missing_token_bytes(), 0);
  EXPECT_DOUBLE_EQ(mixture(800).missing_token_bytes(), 40);
  EXPECT_DOUBLE_EQ(mixture(400).missing_token_bytes(), 80);
  EXPECT_DOUBLE_EQ(mixture(10).missing_token_bytes(), 80);
}

}  // namespace
}  // namespace confab::engine
