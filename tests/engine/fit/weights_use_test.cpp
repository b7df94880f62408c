// SPDX-License-Identifier: MIT
#include "engine/fit/weights_use.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/model/model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

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
