// SPDX-License-Identifier: MIT
#include "app/chat/kv_block_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

TEST(KvBlockStoreTest, WhatTheEngineKeepsComesBack) {
  const TempDir dir;
  sessions::KvStore store({.directory = dir.path() / "kv", .block_tokens = 64});
  KvBlockStore blocks(store);
  std::vector<engine::Token> tokens(100);
  std::iota(tokens.begin(), tokens.end(), 0);
  const std::vector<std::byte> first(4096, std::byte{1}), tail(1000, std::byte{2});
  const std::vector<std::uint64_t> halves{2048, 2048};
  const auto lender = std::make_shared<const int>(7);
  blocks.set_origin(42);
  blocks.keep_block("model", std::span(tokens).first(64), {first, halves, lender});
  blocks.keep_tail("model", tokens, tail, {1000});
  ASSERT_TRUE(store.flush(std::chrono::seconds(10)));
  const auto written = blocks.take_written();
  if (sessions::KvBlock::can_move()) {
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written[0].owner, lender);
    EXPECT_TRUE(std::ranges::equal(written[0].block->payload(), first));
  }

  const auto found = blocks.find("model", tokens);
  ASSERT_EQ(found.size(), 2U);
  blocks.record({.n_wanted = 100, .n_found = 100, .bytes_mapped = 4096, .bytes_copied = 1000});
  EXPECT_EQ(found[0]->n_tokens(), 64);
  EXPECT_EQ(found[1]->n_stored(), 36);
  EXPECT_TRUE(std::ranges::equal(found[0]->payload(), first));
  EXPECT_EQ(found[1]->n_tokens(), 36);
  EXPECT_TRUE(std::ranges::equal(found[1]->payload(), tail));
  EXPECT_TRUE(blocks.find("another model", tokens).empty());
  blocks.record({.n_wanted = 100});
  blocks.settle();
  const auto uses = sessions::UseLog(dir.path() / "kv").read();
  ASSERT_EQ(uses.size(), 4U);  // two kept, one found, one missed
  for (const sessions::Use& use : uses) EXPECT_EQ(use.origin, 42);
  EXPECT_EQ(uses[2].n_hits, 1U);
  EXPECT_EQ(uses[2].leaf, uses[1].leaf);
  EXPECT_EQ(uses[3].n_misses, 1U);

  blocks.remember("size", "large");
  EXPECT_EQ(blocks.recall("size"), "large");
  blocks.discard("model", tokens);
  EXPECT_TRUE(blocks.find("model", tokens).empty());
}

}  // namespace
}  // namespace confab::app
