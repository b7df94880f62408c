// SPDX-License-Identifier: MIT
#include "engine/run/unread_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class UnreadWeightsTest : public testing::Test {
 protected:
  UnreadWeights weights() {
    return {*model_, plan_, {.weights_digest = {}, .isa = kernels::Isa::scalar}, pool_};
  }
  static std::optional<std::string> read_all(UnreadWeights weights, BlockStore& store) {
    for (;;)
      if (auto fingerprint = weights.read(store)) return fingerprint;
  }

  const TinyModelFile file_;
  const std::unique_ptr<const Model> model_ = Model::load(file_.path());
  const ContextPlan plan_ = plan_context(*model_, {.path = file_.path(), .n_threads = 1});
  kernels::ThreadPool pool_{1};
  MemoryBlockStore store_;
};

TEST_F(UnreadWeightsTest, AreReadOnceAndRemembered) {
  EXPECT_EQ(weights().recall(store_), std::nullopt);
  const auto fingerprint = read_all(weights(), store_);
  ASSERT_EQ(store_.facts.size(), 1U);
  EXPECT_THAT(*fingerprint, testing::HasSubstr("weights=" + store_.facts.begin()->second));
  EXPECT_EQ(weights().recall(store_), fingerprint);
}

// The plan counts only the rows of the table that are looked up.
TEST(UnreadWeightsOfATableTest, ItsPagesLeaveTheProcessAgain) {
  const TinyModelFile file{{.n_layer = 1, .n_embd = 4096, .n_head = 64, .n_ff = 32}};
  const auto model = Model::load(file.path());
  const ContextPlan plan = plan_context(*model, {.path = file.path(), .n_threads = 1});
  kernels::ThreadPool pool{1};
  MemoryBlockStore store;
  const std::uint64_t table = model->weights.token_embd.n_bytes();
  ASSERT_GT(table, std::uint64_t{4} << 20);
  const std::uint64_t before = platform::memory_use().mapped_bytes;
  if (before == 0) GTEST_SKIP() << "this system does not say what is mapped";
  UnreadWeights weights(*model, plan, {.weights_digest = {}, .isa = kernels::Isa::scalar}, pool);
  while (!weights.read(store)) {
  }
  const std::uint64_t all = std::filesystem::file_size(file.path());
  EXPECT_LT(platform::memory_use().mapped_bytes, before + all - table + (std::uint64_t{2} << 20));
}

TEST_F(UnreadWeightsTest, OfAFileThatWasTouchedNothingIsKnown) {
  read_all(weights(), store_);
  namespace fs = std::filesystem;
  fs::last_write_time(file_.path(), fs::last_write_time(file_.path()) - std::chrono::hours(1));
  EXPECT_EQ(weights().recall(store_), "");
  MemoryBlockStore empty;
  EXPECT_EQ(read_all(weights(), empty), "");
  EXPECT_TRUE(empty.facts.empty());
}

}  // namespace
}  // namespace confab::engine
