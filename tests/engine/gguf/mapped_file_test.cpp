// SPDX-License-Identifier: MIT
#include "engine/gguf/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <utility>

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

namespace fs = std::filesystem;

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
