// SPDX-License-Identifier: MIT
#include "engine/platform/mapped_range.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace confab::engine::platform {
namespace {

TEST(MappedRangeTest, UnmapsWhatItWasGiven) {
  constexpr std::size_t kBytes = 64 * 1024;
  void* memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  {
    const MappedRange range({static_cast<std::byte*>(memory), kBytes});
    EXPECT_EQ(range.data(), memory);
    EXPECT_EQ(range.size(), kBytes);
    EXPECT_EQ(::msync(memory, kBytes, MS_ASYNC), 0);  // ENOMEM: not mapped
  }
  EXPECT_NE(::msync(memory, kBytes, MS_ASYNC), 0);
}

TEST(MappedRangeTest, LeavesAHoleToOthers) {
  constexpr std::size_t kBytes = 64 * 1024;
  void* memory =
      ::mmap(nullptr, 4 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* begin = static_cast<std::byte*>(memory);
  {
    MappedRange range({begin, 4 * kBytes});
    range.cut(kBytes, kBytes);
    EXPECT_EQ(range.size(), kBytes);
    EXPECT_EQ(::msync(begin, 4 * kBytes, MS_ASYNC), 0);
  }
  EXPECT_NE(::msync(begin, kBytes, MS_ASYNC), 0);
  EXPECT_NE(::msync(begin + 2 * kBytes, 2 * kBytes, MS_ASYNC), 0);
  EXPECT_EQ(::msync(begin + kBytes, kBytes, MS_ASYNC), 0) << "the hole is somebody else's";
  ::munmap(begin + kBytes, kBytes);
}

TEST(MappedRangeTest, MayBeEmpty) {
  EXPECT_EQ(MappedRange({}).size(), 0U);
}

}  // namespace
}  // namespace confab::engine::platform
