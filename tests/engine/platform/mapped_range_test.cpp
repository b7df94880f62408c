// SPDX-License-Identifier: MIT
#include "engine/platform/mapped_range.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "engine/platform/descriptor.h"
#include "tests/temp_dir.h"

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

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

std::span<std::byte> map(std::size_t n_bytes, int fd) {
  const bool own = fd < 0;
  void* const begin = ::mmap(nullptr, n_bytes, own ? PROT_READ | PROT_WRITE : PROT_READ,
                             own ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
  EXPECT_NE(begin, MAP_FAILED);
  return {static_cast<std::byte*>(begin), n_bytes};
}

#ifdef __linux__
// Of the pages that lie there, those that this process has mapped (proc(5), pagemap, bit 63).
std::size_t n_mapped(std::span<const std::byte> bytes) {
  const Descriptor fd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::vector<std::uint64_t> entries(bytes.size() / kPage);
  const std::size_t n_read = entries.size() * sizeof(std::uint64_t);
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data()) / kPage;
  EXPECT_EQ(
      ::pread(fd.get(), entries.data(), n_read, static_cast<off_t>(first * sizeof(std::uint64_t))),
      static_cast<ssize_t>(n_read));
  return static_cast<std::size_t>(
      std::ranges::count_if(entries, [](std::uint64_t entry) { return (entry >> 63U) != 0; }));
}

TEST(GiveBackTest, OwnMemoryGoesInWholePagesAndComesBackAsZeros) {
  const std::span<std::byte> bytes = map(4 * kPage, -1);
  std::ranges::fill(bytes, std::byte{7});
  ASSERT_EQ(n_mapped(bytes), 4);
  give_back(bytes.subspan(1, 3 * kPage));  // the first page and the last one stay in part
  EXPECT_EQ(n_mapped(bytes), 2);
  EXPECT_EQ(bytes[kPage - 1], std::byte{7});
  EXPECT_EQ(bytes[3 * kPage], std::byte{7});
  EXPECT_EQ(bytes[2 * kPage], std::byte{0});
  bytes[2 * kPage] = std::byte{9};
  EXPECT_EQ(bytes[2 * kPage], std::byte{9});
  ::munmap(bytes.data(), bytes.size());
}

TEST(GiveBackTest, AFileLeavesTheProcessAndHasItsBytesAgain) {
  const TempDir home;
  const std::string path = home / "file";
  std::ofstream(path, std::ios::binary) << std::string(8 * kPage, 'x');
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::span<std::byte> bytes = map(8 * kPage, fd.get());
  const auto is_x = [](std::byte byte) { return byte == std::byte{'x'}; };
  ASSERT_TRUE(std::ranges::all_of(bytes, is_x));
  ASSERT_EQ(n_mapped(bytes), 8);
  give_back(bytes);
  EXPECT_EQ(n_mapped(bytes), 0);
  read_soon(bytes);
  EXPECT_TRUE(std::ranges::all_of(bytes, is_x));
  ::munmap(bytes.data(), bytes.size());
}
#endif

TEST(GiveBackTest, LessThanAPageStays) {
  const std::span<std::byte> bytes = map(kPage, -1);
  std::ranges::fill(bytes, std::byte{7});
  give_back(bytes.first(kPage - 1));
  give_back({});
  read_soon({});
  EXPECT_EQ(bytes[0], std::byte{7});
  ::munmap(bytes.data(), bytes.size());
}

}  // namespace
}  // namespace confab::engine::platform
