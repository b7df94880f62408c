// SPDX-License-Identifier: MIT
#include "app/whole_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

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

TEST(WholeFileTest, ErrnoSaysWhyAFileIsNotRead) {
  const TempDir dir;
  EXPECT_EQ(whole_file(dir.path()), std::nullopt);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(whole_file(dir.path() / "none"), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace confab::app
