// SPDX-License-Identifier: MIT
#include "sessions/blocks/storage_thread.h"

#include <gtest/gtest.h>

#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

constexpr int kBlock = 4;

class StorageThreadTest : public testing::Test {
 protected:
  static BlockJob job(int index, std::span<const std::byte> payload) {
    const BlockKey root = root_key("fp", kBlock);
    const Ids tokens{index, 2, 3, 4};
    return {.head = {.root = root,
                     .parent = root,
                     .key = child_key(root, tokens),
                     .index = index,
                     .block_tokens = kBlock,
                     .tokens = tokens},
            .parent = {},
            .borrowed = payload,
            .segments = segments_of(payload.size())};
  }

  TempDir dir;
  BlockDirectory directory{dir / "kv"};
  const std::vector<std::byte> payload = payload_of({1}, 100000);
};

TEST_F(StorageThreadTest, WritesInOrderAndGivesBackWhatItBorrowed) {
  StorageThread storage(directory, {.max_bytes = 1 << 30, .min_free_bytes = 0});
  for (int i = 0; i < 5; ++i) storage.push(job(i, payload));
  BlockJob tail = job(5, {});
  tail.owned = payload;
  tail.segments = segments_of(payload.size());
  storage.push(std::move(tail));
  ASSERT_TRUE(storage.flush(std::chrono::seconds(30)));
  EXPECT_EQ(storage.stats().blocks_written, 6u);
  const auto written = storage.take_written();
  ASSERT_EQ(written.size(), KvBlock::can_move() ? 5u : 0u);
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(written[i].block.payload(), payload));
  }
}

TEST_F(StorageThreadTest, AReleasedBlockIsNotWrittenAnyMore) {
  StorageThread storage(directory, {.max_bytes = 1 << 30, .min_free_bytes = 0});
  std::vector<std::byte> mine = payload;
  for (int i = 0; i < 50; ++i) storage.push(job(i, mine));
  storage.release();
  std::ranges::fill(mine, std::byte{0});
  ASSERT_TRUE(storage.flush(std::chrono::seconds(30)));
  EXPECT_TRUE(storage.take_written().empty());
  for (const StoredBlockFile& file : directory.scan()) {
    const BlockFile block(directory.path_of(file.name));
    ASSERT_EQ(block.status(), BlockStatus::ok);
    EXPECT_TRUE(std::ranges::equal(block.map(kBlock)->payload(), payload));
  }
}

TEST_F(StorageThreadTest, TailsThatWaitAreBounded) {
  StorageThread storage(directory, {.max_bytes = 1 << 30, .min_free_bytes = 0});
  BlockJob large = job(0, {});
  large.owned.resize(std::size_t{65} << 20);
  storage.push(std::move(large));
  EXPECT_TRUE(storage.flush(std::chrono::milliseconds(0)));
  EXPECT_EQ(storage.stats().blocks_dropped, 1u);
}

TEST_F(StorageThreadTest, EndsWithWorkLeft) {
  for (int round = 0; round < 10; ++round) {
    StorageThread storage(directory, {.max_bytes = 1 << 30, .min_free_bytes = 0});
    for (int i = 0; i < 50; ++i) storage.push(job(100 * round + i, payload));
  }
}

}  // namespace
}  // namespace confab::sessions
