// SPDX-License-Identifier: MIT
#include "engine/fit/weights_use.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/model/model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

WeightsUse use_of(const TinyModelOptions& options, int n_ctx) {
  const TinyModelFile file(options);
  const auto model = Model::load(file.path());
  const WeightsUse use = weights_use(*model, n_ctx);
  EXPECT_EQ(use.file_bytes, std::filesystem::file_size(file.path()));
  return use;
}

TEST(WeightsUseTest, ATiedModelIsReadWhole) {
  const WeightsUse use = use_of({.tied = true}, 1);
  EXPECT_EQ(use.table_bytes, 0U);
  EXPECT_EQ(use.unused_bytes, 0U);
  EXPECT_EQ(use.mapped_bytes(), use.file_bytes);
  EXPECT_EQ(use.expert_bytes, 0U);
}

// 300 rows of 4096 floats: 75 windows of 64 KiB, of which one token reads one.
TEST(WeightsUseTest, OfATableOfEmbeddingsOnlyWhatIsLookedUpIsRead) {
  constexpr std::uint64_t kTable = 300 * 4096 * 4, kWindow = 64 * 1024;
  const TinyModelOptions wide{.n_layer = 1, .n_embd = 4096, .n_head = 64, .n_ff = 32};
  const WeightsUse one = use_of(wide, 1), many = use_of(wide, 512);
  EXPECT_EQ(one.table_bytes, kTable);
  EXPECT_NEAR(static_cast<double>(one.table_read_bytes), kWindow, 1);
  EXPECT_EQ(one.file_bytes - one.mapped_bytes(), kTable - one.table_read_bytes);
  EXPECT_GT(many.table_read_bytes, kTable * 99 / 100);
  EXPECT_LE(many.mapped_bytes(), many.file_bytes);
}

TEST(WeightsUseTest, OfAMixtureATokenReadsTheExpertsItUses) {
  const WeightsUse use = use_of({.n_expert = 8, .n_expert_used = 2}, 16);
  EXPECT_EQ(use.expert_bytes, 2U * 8 * 3 * 64 * 96 * 4);
  EXPECT_EQ(use.expert_token_bytes, use.expert_bytes / 4);
}

}  // namespace
}  // namespace confab::engine
