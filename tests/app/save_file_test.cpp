// SPDX-License-Identifier: MIT
#include "app/save_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

#include "app/error.h"
#include "tests/app/home_dir.h"

namespace confab::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fault_of(const std::string& path, Existing existing = Existing::keep) {
  try {
    save_file(path, "x", existing);
  } catch (const UserError& fault) {
    return fault.what();
  }
  return "none";
}

std::ptrdiff_t n_files(const TempDir& dir) {
  return std::distance(std::filesystem::directory_iterator(dir.path()), {});
}

TEST(SaveFileTest, WritesAllOfIt) {
  const TempDir dir;
  const std::string text = std::string(100000, 'a') + '\0' + "é\n";
  save_file((dir / "a.txt").string(), text, Existing::keep);
  EXPECT_EQ(read_file(dir / "a.txt"), text);
  EXPECT_EQ(n_files(dir), 1);
}

TEST(SaveFileTest, ADashIsNoFile) {
  EXPECT_EQ(fault_of("-"), "-: is standard output; name a file");
}

TEST(SaveFileTest, AFileIsReplacedOnlyWhereThatIsWanted) {
  const TempDir dir;
  const std::string path = dir.file("a.txt", "first");
  EXPECT_TRUE(would_replace(path));
  EXPECT_FALSE(would_replace(path + "x"));
  EXPECT_THAT(fault_of(path), AllOf(HasSubstr(path), HasSubstr("already exists")));
  EXPECT_EQ(read_file(path), "first");
  EXPECT_EQ(fault_of(path, Existing::replace), "none");
  EXPECT_EQ(read_file(path), "x");
  EXPECT_EQ(n_files(dir), 1);
}

TEST(SaveFileTest, AReplacedFileKeepsItsPermissionsAndLinks) {
  const TempDir dir;
  const std::string path = dir.file("a.txt", "first");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink("a.txt", dir / "link");
  save_file((dir / "link").string(), "second", Existing::replace);
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(path), "second");
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(SaveFileTest, SaysWhatIsWrongAndLeavesNothing) {
  const TempDir dir;
  EXPECT_THAT(fault_of((dir / "no/a.txt").string()), HasSubstr("No such file"));
  EXPECT_THAT(fault_of(dir.path().string(), Existing::replace), HasSubstr("Is a directory"));
  EXPECT_THAT(fault_of((dir / std::string(300, 'n')).string()), HasSubstr("too long"));
  EXPECT_THAT(fault_of(""), HasSubstr("name"));
  EXPECT_EQ(n_files(dir), 0);
}

TEST(SaveFileTest, WhatIsNoPlainFileIsRefusedAndStays) {
  const TempDir dir;
  const std::string pipe = (dir / "pipe").string(), dangling = (dir / "dangling").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/null", dir / "device");
  std::filesystem::create_symlink("nothing", dangling);
  for (const Existing existing : {Existing::keep, Existing::replace}) {
    EXPECT_THAT(fault_of("/dev/null", existing), HasSubstr("is a device"));
    EXPECT_THAT(fault_of((dir / "device").string(), existing), HasSubstr("is a device"));
    EXPECT_THAT(fault_of(pipe, existing), HasSubstr("is a pipe"));
    EXPECT_THAT(fault_of(dangling, existing), HasSubstr("is a link to a file that does not exist"));
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(n_files(dir), 3);
}

TEST(SaveFileTest, TheInputIsRefusedUnderEveryName) {
  const TempDir dir;
  const std::string in = dir.file("in", "first");
  std::filesystem::create_hard_link(in, dir / "hard");
  std::filesystem::create_symlink(in, dir / "soft");
  for (const char* name : {"in", "hard", "soft"}) {
    try {
      output_file((dir / name).string(), Existing::replace, std::array{in});
      FAIL() << name;
    } catch (const UserError& fault) {
      EXPECT_THAT(fault.what(), HasSubstr("is the input file"));
    }
  }
}

TEST(SaveFileTest, ANameMayBeAsLongAsNamesMayBe) {
  const TempDir dir;
  const std::string path = (dir / std::string(255, 'n')).string();
  EXPECT_EQ(fault_of(path), "none");
  EXPECT_EQ(read_file(path), "x");
  EXPECT_EQ(n_files(dir), 1);
}

TEST(SaveFileTest, TheHomeDirectoryHasAShortName) {
  const HomeDir home;
  save_file("~/a.txt", "at home", Existing::keep);
  EXPECT_TRUE(would_replace("~/a.txt"));
  EXPECT_EQ(read_file(home / "a.txt"), "at home");
}

}  // namespace
}  // namespace confab::app
