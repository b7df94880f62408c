// SPDX-License-Identifier: MIT
#include "sessions/blocks/kv_block.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <utility>

namespace confab::sessions {
namespace {

constexpr std::size_t kBytes = 8192;

const std::byte* map() {
  void* p = ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(p, MAP_FAILED);
  return static_cast<const std::byte*>(p);
}

bool is_mapped(const std::byte* p) {
  return ::msync(const_cast<std::byte*>(p), kBytes, MS_ASYNC) == 0;
}

TEST(KvBlockTest, UnmapsOnce) {
  const std::byte* p = map();
  {
    KvBlock block(std::span(p, kBytes), 20, 12);
    EXPECT_EQ(block.payload().data(), p);
    EXPECT_EQ(block.payload().size(), kBytes);
    EXPECT_EQ(block.n_stored(), 20);
    EXPECT_EQ(block.n_tokens(), 12);
    const KvBlock moved = std::move(block);
    EXPECT_EQ(moved.payload().data(), p);
    EXPECT_TRUE(is_mapped(p));
  }
  EXPECT_FALSE(is_mapped(p));
}

TEST(KvBlockTest, AssignmentLeavesNoMappingBehind) {
  const std::byte* p = map();
  const std::byte* q = map();
  {
    KvBlock one(std::span(p, kBytes), 1, 1);
    {
      KvBlock two(std::span(q, kBytes), 2, 2);
      one = std::move(two);
    }
    EXPECT_EQ(one.payload().data(), q);
    EXPECT_EQ(one.n_tokens(), 2);
    EXPECT_FALSE(is_mapped(p));
  }
  EXPECT_FALSE(is_mapped(q));
}

TEST(KvBlockTest, MovesToWhereItIsWanted) {
  const std::byte* p = map();
  void* slot = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(slot, MAP_FAILED);
  auto* address = static_cast<std::byte*>(slot);
  address[5] = std::byte{7};
  {
    KvBlock block(std::span(p, kBytes), 2, 2);
    ASSERT_EQ(block.move_to(address), KvBlock::can_move());
    if (!KvBlock::can_move()) GTEST_SKIP() << "this system cannot move mappings";
    EXPECT_TRUE(block.payload().empty());
    EXPECT_FALSE(is_mapped(p));
  }
  ASSERT_TRUE(is_mapped(address));  // no longer the block's own
  EXPECT_EQ(address[5], std::byte{0});
  ::munmap(slot, kBytes);
}

}  // namespace
}  // namespace confab::sessions
