// SPDX-License-Identifier: MIT
#include "sessions/blocks/storage_thread.h"

#include <gtest/gtest.h>

#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

constexpr int kBlock = 4;

class StorageThreadTest : public testing::Test {
 protected:
  static BlockJob job(int index, std::span<const std::byte> payload,
                      std::string_view fingerprint = "fp") {
    const BlockKey root = root_key(fingerprint, kBlock);
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

// A model and its draft model are in use at the same time, and so are the blocks of both.
TEST_F(StorageThreadTest, EachModelHasALease) {
  StorageThread storage(directory, {.max_bytes = 1 << 30, .min_free_bytes = 0});
  const auto in_use = [&](const BlockJob& of) {
    return BlockLease::in_use(directory.path_of(name_of(of.head)));
  };
  const BlockJob first = job(0, payload, "a"), second = job(0, payload, "b");
  storage.push(job(0, payload, "a"));
  storage.push(job(0, payload, "b"));
  ASSERT_TRUE(storage.flush(std::chrono::seconds(30)));
  EXPECT_TRUE(in_use(first)) << "it was written";
  EXPECT_TRUE(in_use(second));
  storage.lease(first.head.root, std::nullopt);
  EXPECT_FALSE(in_use(first));
  EXPECT_TRUE(in_use(second));
  storage.lease(first.head.root, name_of(first.head));
  EXPECT_TRUE(in_use(first)) << "it was found";
  EXPECT_TRUE(in_use(second));
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
