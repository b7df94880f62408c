// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_tree.h"

#include <gmock/gmock.h>

namespace confab::sessions {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

BlockKey key(int i) {
  BlockKey out{};
  out[0] = static_cast<std::byte>(i);
  return out;
}

StoredBlockFile block(int id, int parent, bool full = true, int root = 0) {
  return {.name = {.root = key(root), .parent = key(parent), .key = key(id), .full = full}};
}

TEST(BlockTreeTest, BlocksAreBelowThoseBeforeThem) {
  const std::vector<StoredBlockFile> blocks{block(3, 2), block(2, 1), block(1, 0), block(4, 1),
                                            block(5, 3, false)};
  const BlockTree tree(blocks);
  ASSERT_EQ(tree.nodes().size(), 5U);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(tree.nodes()[i].file, &blocks[i]);
    EXPECT_TRUE(tree.nodes()[i].reached);
  }
  EXPECT_EQ(tree.nodes()[0].parent, 1U);
  EXPECT_EQ(tree.nodes()[2].parent, std::nullopt);
  EXPECT_THAT(tree.nodes()[2].children, UnorderedElementsAre(1U, 3U));
  EXPECT_THAT(tree.nodes()[4].children, ElementsAre());
  EXPECT_EQ(tree.nodes()[4].depth, 3);
  EXPECT_EQ(tree.reached().size(), 5U);
  EXPECT_EQ(tree.reached().front(), 2U);
  EXPECT_EQ(tree.reached().back(), 4U);
  EXPECT_EQ(tree.find(key(0), key(5)), 4U);
  EXPECT_EQ(tree.find(key(0), key(9)), std::nullopt);
  EXPECT_EQ(tree.find(key(9), key(5)), std::nullopt);
}

TEST(BlockTreeTest, TheSameKeyMayBeUnderSeveralRoots) {
  const std::vector<StoredBlockFile> blocks{block(1, 0), block(1, 100, true, 100),
                                            block(2, 1, true, 100)};
  const BlockTree tree(blocks);
  EXPECT_EQ(tree.nodes()[2].parent, 1U);
  EXPECT_THAT(tree.nodes()[0].children, ElementsAre());
  EXPECT_EQ(tree.find(key(100), key(1)), 1U);
}

TEST(BlockTreeTest, WhatCannotBeReachedIsTold) {
  const std::vector<StoredBlockFile> blocks{block(1, 0, false),
                                            block(2, 1),  // after a tail
                                            block(4, 3),  // the one before is missing
                                            block(5, 6),
                                            block(6, 5),  // a cycle
                                            block(7, 7),  // itself
                                            block(9, 8, true, 200),
                                            block(8, 0, true)};  // of another root
  const BlockTree tree(blocks);
  EXPECT_THAT(tree.reached(), UnorderedElementsAre(0U, 7U));
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_FALSE(tree.nodes()[i].reached) << i;
    EXPECT_EQ(tree.find(blocks[i].name.root, blocks[i].name.key), std::nullopt) << i;
  }
}

}  // namespace
}  // namespace confab::sessions
