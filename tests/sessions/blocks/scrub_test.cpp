// SPDX-License-Identifier: MIT
#include "sessions/blocks/cache_report.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

class BlockCheckTest : public KvFixture {
 protected:
  BlockCheckTest() { keep(tokens); }

  CheckResult check() const {
    return check_blocks(directory, [](const CheckProgress&) { return true; });
  }
  // Of the block with this many before it; the tail is the last one.
  std::filesystem::path path_of(std::size_t index) const {
    BlockKey before = root_key("fp", kTestBlock);
    for (std::size_t at = 0;; at += kTestBlock) {
      const auto n = std::min<std::size_t>(kTestBlock, tokens.size() - at);
      const BlockKey key = child_key(before, std::span(tokens).subspan(at, n));
      if (at == index * kTestBlock)
        return directory.path_of({root_key("fp", kTestBlock), before, key, n == kTestBlock});
      before = key;
    }
  }
  void flip_bit(std::size_t index, std::size_t offset) const {
    std::string bytes = read_file(path_of(index));
    bytes[offset] = static_cast<char>(bytes[offset] ^ 4);
    std::filesystem::remove(path_of(index));
    write_file(path_of(index), bytes);
    ::chmod(path_of(index).c_str(), 0400);
  }

  const Ids tokens = ids(3 * kTestBlock + 40);
  const BlockDirectory directory{dir / "kv"};
};

TEST_F(BlockCheckTest, GoodBlocksStay) {
  std::uint64_t bytes = 0;
  for (const auto& path : files()) bytes += std::filesystem::file_size(path);
  const CheckResult result = check();
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.n_good, 4U);
  EXPECT_EQ(result.bytes_good, bytes);
  EXPECT_EQ(result.damaged.n_files, 0U);
  EXPECT_EQ(result.n_unread, 0U);
  EXPECT_EQ(n_found(tokens), static_cast<int>(tokens.size()));
}

TEST_F(BlockCheckTest, OneBitAnywhereIsFound) {
  flip_bit(1, 3);                                             // payload
  flip_bit(2, std::filesystem::file_size(path_of(2)) - 100);  // trailer
  std::filesystem::resize_file(path_of(3), 5000);
  EXPECT_EQ(check().damaged.n_files, 3U);
  EXPECT_EQ(check().n_good, 1U);
  EXPECT_EQ(check().damaged.n_files, 0U) << "they are gone";
  EXPECT_EQ(n_found(tokens), kTestBlock);
}

TEST_F(BlockCheckTest, AGoodBlockUnderAnotherNameIsDamaged) {
  std::filesystem::rename(path_of(1), path_of(0));
  const CheckResult result = check();
  EXPECT_EQ(result.damaged.n_files, 1U);
  EXPECT_EQ(result.n_good, 2U);
}

TEST_F(BlockCheckTest, WhatCannotBeOpenedIsNoReasonToRemoveIt) {
  EXPECT_EQ(wait_for(fork_child([&] {
              const auto no_more_files = [](const CheckProgress&) {
                const rlimit none{3, 3};
                return ::setrlimit(RLIMIT_NOFILE, &none) == 0;
              };
              const CheckResult result = check_blocks(directory, no_more_files);
              return result.n_unread == 4 && result.damaged.n_files == 0;
            })),
            0);
  EXPECT_EQ(check().n_good, 4U);
}

TEST_F(BlockCheckTest, TellsHowFarItIsAndCanBeEnded) {
  std::vector<CheckProgress> seen;
  CheckResult result = check_blocks(directory, [&](const CheckProgress& progress) {
    seen.push_back(progress);
    return true;
  });
  ASSERT_EQ(seen.size(), 5U);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].n_done, i);
    EXPECT_EQ(seen[i].n_blocks, 4U);
    EXPECT_EQ(seen[i].bytes, seen.back().bytes_done);
  }
  result = check_blocks(directory, [&](const CheckProgress& p) { return p.n_done < 2; });
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.n_good, 2U);
}

}  // namespace
}  // namespace confab::sessions
