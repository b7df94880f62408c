// SPDX-License-Identifier: MIT
#include "app/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

TEST(WholeFileTest, AllBytesAreRead) {
  const TempDir dir;
  const std::string bytes("one\r\n\0two", 9);
  std::ofstream(dir.path() / "file", std::ios::binary) << bytes;
  std::ofstream(dir.path() / "empty");
  EXPECT_EQ(whole_file(dir.path() / "file"), bytes);
  EXPECT_EQ(whole_file(dir.path() / "empty"), "");
}

TEST(WholeFileTest, WhatHasNoEndIsNotRead) {
  const TempDir dir;
  EXPECT_EQ(whole_file("/dev/zero"), std::nullopt);
  EXPECT_EQ(read_fault(errno), "is not a file");
  EXPECT_EQ(whole_file("/dev/zero", {.takes_pipes = true}), std::nullopt);
  EXPECT_EQ(read_fault(errno), "is not a file");
  EXPECT_EQ(whole_file("/dev/null"), "");
  const auto pipe = dir.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(whole_file(pipe), std::nullopt);
  EXPECT_EQ(read_fault(errno), "is not a file");
}

TEST(WholeFileTest, NoMoreIsReadThanTheLimit) {
  const TempDir dir;
  std::ofstream(dir.path() / "file") << "123456";
  EXPECT_EQ(whole_file(dir.path() / "file", {.most = 6}), "123456");
  EXPECT_EQ(whole_file(dir.path() / "file", {.most = 5}), std::nullopt);
  EXPECT_EQ(errno, EFBIG);
}

TEST(WholeFileTest, APipeIsReadWhereThatIsWanted) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  EXPECT_EQ(whole_file("/dev/fd/" + std::to_string(ends[0]), {.takes_pipes = true}), "piped");
  ::close(ends[0]);
}

TEST(WholeFileTest, ErrnoSaysWhyAFileIsNotRead) {
  const TempDir dir;
  EXPECT_EQ(whole_file(dir.path()), std::nullopt);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(whole_file(dir.path() / "none"), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace confab::app
