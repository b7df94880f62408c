// SPDX-License-Identifier: MIT
#include "app/kv_block_store.h"

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
  const std::vector<std::byte> first(4096, std::byte{1}), tail(4096, std::byte{2});
  blocks.keep("model", std::span(tokens).first(64), first);
  blocks.keep("model", tokens, tail);
  ASSERT_TRUE(store.flush(std::chrono::seconds(10)));

  const auto found = blocks.find("model", tokens);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->n_tokens(), 64);
  EXPECT_TRUE(std::ranges::equal(found[0]->payload(), first));
  EXPECT_EQ(found[1]->n_tokens(), 36);
  EXPECT_TRUE(std::ranges::equal(found[1]->payload(), tail));
  EXPECT_TRUE(blocks.find("another model", tokens).empty());
}

}  // namespace
}  // namespace confab::app
