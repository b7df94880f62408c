// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_writer.h"

#include <gtest/gtest.h>
#include <sys/file.h>

#include "sessions/error.h"
#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

constexpr int kBlock = 4;

BlockHead head(const std::optional<BlockHead>& parent, Ids tokens) {
  const BlockKey root = root_key("fp", kBlock);
  const BlockKey before = parent ? parent->key : root;
  return {.root = root,
          .parent = before,
          .key = child_key(before, tokens),
          .index = parent ? parent->index + 1 : 0,
          .block_tokens = kBlock,
          .tokens = std::move(tokens)};
}

class BlockWriterTest : public testing::Test {
 protected:
  WriteOutcome write(const std::optional<BlockHead>& parent, const BlockHead& block,
                     std::size_t bytes = 1000) {
    return write_with(writer, parent, block, bytes);
  }
  static WriteOutcome write_with(BlockWriter& w, const std::optional<BlockHead>& parent,
                                 const BlockHead& block, std::size_t bytes) {
    const auto payload = payload_of(block.tokens, bytes);
    const auto segments = segments_of(bytes);
    return w.write({block, parent, payload, encode_trailer(block, {payload, segments})});
  }
  BlockStatus status(const BlockHead& block) {
    return BlockFile(directory.path_of(name_of(block))).status();
  }

  TempDir dir;
  BlockDirectory directory{dir / "kv"};
  BlockWriter writer{directory, {.max_bytes = 10000, .min_free_bytes = 0}};
  const BlockHead a = head({}, {1, 2, 3, 4});
  const BlockHead b = head(a, {5, 6, 7, 8});
};

TEST_F(BlockWriterTest, ABlockIsWrittenOnceAfterItsParent) {
  EXPECT_EQ(write(a, b), WriteOutcome::dropped);
  EXPECT_EQ(write({}, a), WriteOutcome::written);
  EXPECT_EQ(write(a, b), WriteOutcome::written);
  EXPECT_EQ(write(a, b), WriteOutcome::known);
  const BlockFile file(directory.path_of(name_of(b)));
  ASSERT_EQ(file.status(), BlockStatus::ok);
  EXPECT_EQ(file.head(), b);
  EXPECT_TRUE(std::ranges::equal(file.map(kBlock)->payload(), payload_of(b.tokens, 1000)));
}

// What a collision of keys would look like: the file has the name, but not the tokens.
TEST_F(BlockWriterTest, AParentOfTheSameKeyButOtherTokensIsNoParent) {
  EXPECT_EQ(write({}, a), WriteOutcome::written);
  BlockHead other = a;
  other.tokens = {1, 2, 3, 9};
  EXPECT_EQ(write(other, b), WriteOutcome::dropped);
  EXPECT_EQ(write({}, other), WriteOutcome::dropped);
  EXPECT_EQ(status(a), BlockStatus::ok);
  EXPECT_EQ(status(b), BlockStatus::missing);
}

TEST_F(BlockWriterTest, ADamagedBlockIsReplaced) {
  directory.make_folder_of(name_of(a));
  write_file(directory.path_of(name_of(a)), "junk");
  EXPECT_EQ(write({}, a), WriteOutcome::written);
  EXPECT_EQ(status(a), BlockStatus::ok);
}

TEST_F(BlockWriterTest, TailsThatAreExtendedAreDeleted) {
  const BlockHead two = head({}, {1, 2});
  const BlockHead three = head({}, {1, 2, 3});
  const BlockHead fork = head({}, {1, 9});
  write({}, two);
  write({}, fork);
  write({}, three);
  EXPECT_EQ(status(two), BlockStatus::missing);
  EXPECT_EQ(status(three), BlockStatus::ok);
  write({}, two);  // an older one comes back: it extends nothing
  EXPECT_EQ(status(three), BlockStatus::ok);
  write({}, a);
  EXPECT_EQ(status(two), BlockStatus::missing);
  EXPECT_EQ(status(three), BlockStatus::missing);
  EXPECT_EQ(status(fork), BlockStatus::ok);
}

TEST_F(BlockWriterTest, TheBudgetCountsWhatOthersWroteToo) {
  BlockWriter other(directory, {.max_bytes = 10000, .min_free_bytes = 0});
  for (int i = 0; i < 20; ++i) {
    const BlockHead x = head({}, {i, 1, 1, 1});
    const BlockHead y = head({}, {i, 2, 2, 2});
    EXPECT_EQ(write({}, x), WriteOutcome::written);
    EXPECT_EQ(write_with(other, {}, y, 1000), WriteOutcome::written);
    std::uint64_t total = 0;
    for (const auto& file : directory.scan()) total += file.bytes;
    EXPECT_LE(total, 10000u);
  }
  EXPECT_GT(writer.n_evicted() + other.n_evicted(), 20u);
}

TEST_F(BlockWriterTest, OnlyOneProgramEvictsAtATime) {
  const int fd = ::open((dir / "kv/gc.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  for (int i = 0; i < 15; ++i) write({}, head({}, {i, 1, 1, 1}));
  EXPECT_EQ(directory.scan().size(), 15u);
  ::close(fd);
  write({}, a);
  EXPECT_LE(directory.scan().size(), 10u);
}

TEST_F(BlockWriterTest, LittleFreeSpaceEvictsEverythingElseFirst) {
  write({}, a);
  BlockWriter greedy(directory, {.max_bytes = 10000, .min_free_bytes = ~std::uint64_t{0}});
  write_with(greedy, a, b, 1000);
  EXPECT_TRUE(directory.scan().empty());
}

TEST_F(BlockWriterTest, AFullDiskMakesRoomOnceThenGivesUp) {
  constexpr int kNotAllowed = 77;
  const int result = wait_for(fork_child([&] {
    std::filesystem::create_directory(dir / "small");
    if (!mount_small_file_system(dir / "small", 512 * 1024)) ::_exit(kNotAllowed);
    const BlockDirectory small(dir / "small/kv");
    BlockWriter w(small, {.max_bytes = 1 << 30, .min_free_bytes = 0});
    for (int i = 0; i < 20; ++i) {
      const BlockHead x = head({}, {i, 1, 1, 1});
      if (write_with(w, {}, x, 100 * 1024) != WriteOutcome::written) return false;
    }
    if (w.n_evicted() < 10) return false;
    try {
      write_with(w, {}, a, 1024 * 1024);
    } catch (const StoreError& e) {
      return std::string(e.what()).find("No space left") != std::string::npos;
    }
    return false;
  }));
  if (result == kNotAllowed) GTEST_SKIP() << "mounting a file system is not allowed here";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace confab::sessions
