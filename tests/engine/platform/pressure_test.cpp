// SPDX-License-Identifier: MIT
#include "engine/platform/pressure.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

namespace fs = std::filesystem;

TEST(PressureTest, ThisProcessHasMemoryAndTime) {
  const PressureSample before = sample_pressure();
  EXPECT_GT(before.resident_bytes, 0);
  std::vector<char> memory(std::size_t{64} << 20, 'x');
  const PressureSample after = sample_pressure();
  EXPECT_GE(after.resident_bytes, before.resident_bytes + (std::int64_t{60} << 20));
  EXPECT_GE(after.all_ticks, before.all_ticks);
  EXPECT_EQ(memory.back(), 'x');
}

#ifdef __linux__
TEST(PressureTest, ReadsWhatTheSystemCounts) {
  const TempDir root;
  root.file("proc/stat", "cpu  100 10 20 300 50 5 6 7 0 0\ncpu0 1 1 1 1\n");
  root.file("proc/vmstat", "nr_free_pages 5\npswpin 7\npswpout 8\npgfault 9\n");
  root.file("proc/self/statm", "1000 250 3 4 5 6 7\n");
  const PressureSample sample = sample_pressure(root.path());
  EXPECT_EQ(sample.all_ticks, 498);
  EXPECT_EQ(sample.busy_ticks, 148);
  EXPECT_EQ(sample.swapped_pages, 15);
  EXPECT_EQ(sample.resident_bytes, 250 * sysconf(_SC_PAGESIZE));
}

TEST(PressureTest, WhatIsNotThereIsZero) {
  const TempDir root;
  const PressureSample sample = sample_pressure(root.path());
  EXPECT_EQ(sample.all_ticks, 0);
  EXPECT_EQ(sample.swapped_pages, 0);
  EXPECT_EQ(sample.resident_bytes, 0);
}
#endif

TEST(PressureTest, AFileThatWasJustWrittenIsInMemory) {
  const TempDir home;
  const fs::path file = home.file("weights", std::string(std::size_t{3} << 20, 'x'));
  EXPECT_DOUBLE_EQ(cached_share(file), 1);
  EXPECT_DOUBLE_EQ(cached_share(home / "none"), 1);
  home.file("empty", "");
  EXPECT_DOUBLE_EQ(cached_share(home / "empty"), 1);
}

#ifdef __linux__
TEST(PressureTest, AFileThatWasDroppedFromMemoryIsNot) {
  const TempDir home;
  const fs::path file = home.file("weights", std::string(std::size_t{3} << 20, 'x'));
  const int fd = open(file.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
  if (cached_share(file) == 1) GTEST_SKIP() << "this file system keeps its files in memory";
  EXPECT_LT(cached_share(file), 0.5);
}
#endif

}  // namespace
}  // namespace confab::engine::platform
