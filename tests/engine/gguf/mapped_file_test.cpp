// SPDX-License-Identifier: MIT
#include "engine/gguf/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "engine/platform/mapped_range.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

std::string error_at(const std::string& path) {
  return error_of([&] { const MappedFile file(path); });
}

TEST(MappedFileTest, ShowsTheBytesOfTheFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "hello";
  MappedFile first(folder / "file");
  const MappedFile file = std::move(first);
  ASSERT_EQ(file.bytes().size(), 5U);
  EXPECT_EQ(file.bytes()[0], std::byte{'h'});
  EXPECT_TRUE(first.bytes().empty());  // NOLINT: a moved-from file is empty
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file").close();
  EXPECT_TRUE(MappedFile(folder / "file").bytes().empty());
}

TEST(MappedFileTest, CopiesWhatIsReadWithoutMappingIt) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "hello";
  const MappedFile file(folder / "file");
  std::array<std::byte, 3> part{};
  ASSERT_TRUE(file.has(file.bytes().subspan(2)));
  file.copy(file.bytes().subspan(2), part.data());
  EXPECT_THAT(part, testing::ElementsAre(std::byte{'l'}, std::byte{'l'}, std::byte{'o'}));
  EXPECT_FALSE(file.has(part));
  EXPECT_FALSE(file.has({file.bytes().data() + 1, 5}));
}

namespace fs = std::filesystem;

#ifdef __linux__

// In a process of its own, which may map 64 MiB more than it has.
[[noreturn]] void tell_with_little_left(const std::string& path) {
  std::ifstream pages("/proc/self/statm");
  rlim_t n_pages = 0;
  pages >> n_pages;
  const rlim_t n_bytes = n_pages * platform::page_bytes() + (64 << 20);
  const rlimit limit{n_bytes, n_bytes};
  ::setrlimit(RLIMIT_AS, &limit);
  const std::string told = error_at(path);
  std::fputs(told.c_str(), stderr);
  std::_Exit(0);
}

TEST(MappedFileTest, NamesTheLimitThatItIsBeyond) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file").close();
  fs::resize_file(folder / "file", std::uintmax_t{1} << 30);
  EXPECT_EXIT(tell_with_little_left(folder / "file"), testing::ExitedWithCode(0),
              "file: needs 1.0 GiB of address space, but only .* MiB of .* is left by the limit on "
              "it \\(ulimit -v\\); raise the limit, or use a smaller model");
}

#endif

// A file that was written long ago: whatever is written to it now has another time.
class OldFileTest : public testing::Test {
 protected:
  explicit OldFileTest() {
    std::ofstream(path) << std::string(kBytes, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(24));
  }
  static constexpr std::size_t kBytes = 5 << 20;

  const TemporaryFolder folder;
  const std::string path = folder / "file";
};

TEST_F(OldFileTest, ReadingLeavesItTheSame) {
  const MappedFile file(path);
  EXPECT_EQ(file.bytes()[kBytes - 1], std::byte{'x'});
  EXPECT_EQ(file.state(), FileState::same);
}

TEST_F(OldFileTest, OverwrittenInPlaceItHasChanged) {
  const MappedFile file(path);
  std::fstream(path, std::ios::in | std::ios::out) << "y";
  EXPECT_EQ(file.state(), FileState::changed);
}

TEST_F(OldFileTest, WhatTakesItsNameDoesNothingToIt) {
  const MappedFile file(path);
  std::ofstream(folder / "new") << "another";
  fs::rename(folder / "new", path);
  EXPECT_NE(file.state(), FileState::changed);
  EXPECT_EQ(file.bytes()[kBytes - 1], std::byte{'x'});
}

TEST_F(OldFileTest, OtherPermissionsTouchIt) {
  const MappedFile file(path);
  while (file.state() == FileState::same) ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(file.state(), FileState::touched);
}

TEST_F(OldFileTest, CutShortItReadsAsZerosAndHasChangedForGood) {
  const MappedFile file(path);
  const fs::file_time_type written = fs::last_write_time(path);
  fs::resize_file(path, kBytes / 2);
  EXPECT_EQ(file.bytes()[kBytes - 1], std::byte{0});
  EXPECT_EQ(file.bytes()[0], std::byte{'x'});
  EXPECT_EQ(file.state(), FileState::changed);
  fs::resize_file(path, kBytes);
  fs::last_write_time(path, written);
  EXPECT_EQ(file.state(), FileState::changed) << "what was read were zeros";
}

TEST_F(OldFileTest, CutShortItIsCopiedAsZerosAndHasChangedForGood) {
  const MappedFile file(path);
  const fs::file_time_type written = fs::last_write_time(path);
  fs::resize_file(path, kBytes / 2);
  std::byte last{1};
  file.copy(file.bytes().last(1), &last);
  EXPECT_EQ(last, std::byte{0});
  fs::resize_file(path, kBytes);
  fs::last_write_time(path, written);
  EXPECT_EQ(file.state(), FileState::changed);
}

TEST(MappedFileTest, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_at(folder / "fifo"),
            folder / "fifo" + ": is a special file, expected a regular file");
  EXPECT_EQ(error_at(folder.path()), folder.path() + ": is a directory, expected a regular file");
  EXPECT_EQ(error_at(folder / "none"),
            folder / "none" + ": cannot open the file: No such file or directory");
}

}  // namespace
}  // namespace confab::engine
