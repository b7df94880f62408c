// SPDX-License-Identifier: MIT
#include "engine/fit/memory_plan.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/model/model.h"
#include "tests/engine/tiny_model.h"

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

WeightsUse use_of(const TinyModelOptions& options) {
  const TinyModelFile file(options);
  const auto model = Model::load(file.path());
  const WeightsUse use = weights_use(*model);
  EXPECT_EQ(use.file_bytes, std::filesystem::file_size(file.path()));
  return use;
}

TEST(WeightsUseTest, ATiedModelIsReadWhole) {
  const WeightsUse use = use_of({.tied = true});
  EXPECT_EQ(use.table_bytes, 0U);
  EXPECT_EQ(use.unused_bytes, 0U);
  EXPECT_EQ(use.mapped_bytes(), use.file_bytes);
  EXPECT_EQ(use.expert_bytes, 0U);
}

TEST(WeightsUseTest, ATableOfEmbeddingsIsNotMapped) {
  constexpr std::uint64_t kTable = 300 * 4096 * 4;
  const WeightsUse use = use_of({.n_layer = 1, .n_embd = 4096, .n_head = 64, .n_ff = 32});
  EXPECT_EQ(use.table_bytes, kTable);
  EXPECT_EQ(use.mapped_bytes(), use.file_bytes - kTable);
}

TEST(WeightsUseTest, OfAMixtureATokenReadsTheExpertsItUses) {
  const WeightsUse use = use_of({.n_expert = 8, .n_expert_used = 2});
  EXPECT_EQ(use.expert_bytes, 2U * 8 * 3 * 64 * 96 * 4);
  EXPECT_EQ(use.expert_token_bytes, use.expert_bytes / 4);
}

}  // namespace
}  // namespace confab::engine
