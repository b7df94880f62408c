// SPDX-License-Identifier: MIT
#include "sessions/blocks/collector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace confab::sessions {
namespace {

BlockKey key(int i) {
  BlockKey out{};
  out[0] = static_cast<std::byte>(i & 255);
  out[1] = static_cast<std::byte>(i >> 8);
  return out;
}

// A block of 10 bytes; 0 is the root.
StoredBlockFile block(int id, int parent, int used, bool full = true) {
  return {.name = {.root = key(0), .parent = key(parent), .key = key(id), .full = full},
          .bytes = 10,
          .used = std::chrono::nanoseconds(used)};
}

int id_of(const BlockName& name) {
  return std::to_integer<int>(name.key[0]) | std::to_integer<int>(name.key[1]) << 8;
}

std::vector<int> evicted(const std::vector<StoredBlockFile>& blocks, std::uint64_t max_bytes,
                         const std::set<int>& used = {}) {
  const auto in_use = [&](const BlockName& name) { return used.contains(id_of(name)); };
  std::vector<int> out;
  for (const StoredBlockFile& block : blocks_to_evict(blocks, max_bytes, in_use)) {
    out.push_back(id_of(block.name));
  }
  return out;
}

using testing::ElementsAre;

TEST(EvictionTest, NothingLeavesWithinTheBudget) {
  EXPECT_THAT(evicted({}, 0), ElementsAre());
  EXPECT_THAT(evicted({block(1, 0, 5), block(9, 8, 1)}, 20), ElementsAre());
}

TEST(EvictionTest, TheLeastRecentlyUsedLeafIsFirst) {
  const std::vector<StoredBlockFile> blocks{block(1, 0, 1), block(2, 1, 9), block(3, 1, 5),
                                            block(4, 0, 6, false)};
  EXPECT_THAT(evicted(blocks, 39), ElementsAre(3));
  EXPECT_THAT(evicted(blocks, 20), ElementsAre(3, 4));
  EXPECT_THAT(evicted(blocks, 10), ElementsAre(3, 4, 2));
  EXPECT_THAT(evicted(blocks, 0), ElementsAre(3, 4, 2, 1));
}

TEST(EvictionTest, OfThoseUsedAtTheSameTimeTheDeepestIsFirst) {
  EXPECT_THAT(evicted({block(1, 0, 7), block(2, 1, 7), block(3, 2, 7), block(4, 0, 7)}, 10),
              ElementsAre(3, 2, testing::AnyOf(1, 4)));
}

TEST(EvictionTest, WhatCannotBeReachedLeavesBeforeAll) {
  const std::vector<StoredBlockFile> blocks{
      block(1, 0, 1),  block(5, 4, 99),                          // its parent is missing
      block(6, 7, 99), block(7, 6, 99),                          // a cycle
      block(8, 8, 99), block(2, 9, 99), block(9, 0, 3, false)};  // itself; a child of a tail
  EXPECT_THAT(evicted(blocks, 60), testing::UnorderedElementsAre(5, 6, 7, 8, 2));
  EXPECT_EQ(unreachable_blocks(blocks).size(), 5U) << "whatever the budget";
  EXPECT_THAT(evicted(blocks, 15), testing::Contains(1));
}

TEST(EvictionTest, RootsAreApart) {
  auto other = block(2, 1, 50);
  other.name.root = key(300);
  EXPECT_THAT(evicted({block(1, 0, 9), other}, 10), ElementsAre(2));
}

TEST(EvictionTest, APathInUseStays) {
  const std::vector<StoredBlockFile> blocks{block(1, 0, 1), block(2, 1, 2), block(3, 2, 3, false),
                                            block(4, 1, 9), block(5, 0, 8)};
  EXPECT_THAT(evicted(blocks, 0), ElementsAre(3, 2, 5, 4, 1));
  EXPECT_THAT(evicted(blocks, 0, {3}), ElementsAre(5, 4));
  EXPECT_THAT(evicted(blocks, 20, {3}), ElementsAre(5, 4)) << "more than it may stays";
  EXPECT_THAT(evicted(blocks, 0, {3, 4, 5}), ElementsAre());
  EXPECT_THAT(evicted(blocks, 0, {2}), ElementsAre(3, 5, 4)) << "what comes after may leave";
}

TEST(EvictionTest, OnlyLeavesAboutToLeaveAreAskedFor) {
  std::vector<int> asked;
  const auto in_use = [&](const BlockName& name) {
    asked.push_back(id_of(name));
    return asked.size() == 1;
  };
  EXPECT_EQ(blocks_to_evict({block(1, 0, 1), block(2, 0, 2), block(3, 0, 3)}, 20, in_use).size(),
            1U);
  EXPECT_THAT(asked, ElementsAre(1, 2));
}

TEST(EvictionTest, NoBlockIsLeftWithoutTheOnesBeforeIt) {
  std::mt19937 rng(17);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(rng() % 60);
    std::vector<StoredBlockFile> blocks;
    std::map<int, int> parents;
    for (int id = 1; id <= n; ++id) {
      parents[id] = static_cast<int>(rng()) % id;
      parents[id] = std::abs(parents[id]);
      blocks.push_back(block(id, parents[id], static_cast<int>(rng() % 10)));
    }
    std::shuffle(blocks.begin(), blocks.end(), rng);
    const auto max_bytes = rng() % static_cast<unsigned>(n * 10 + 1);
    const auto gone = evicted(blocks, max_bytes);
    std::set<int> left;
    for (const auto& [id, parent] : parents) left.insert(id);
    for (const int id : gone) EXPECT_EQ(left.erase(id), 1u);
    EXPECT_LE(left.size() * 10, max_bytes);
    EXPECT_GT((left.size() + 1) * 10, max_bytes) << "one too many";
    for (const int id : left) EXPECT_TRUE(parents[id] == 0 || left.contains(parents[id]));
  }
}

}  // namespace
}  // namespace confab::sessions
