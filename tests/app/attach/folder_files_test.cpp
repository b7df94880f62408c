// SPDX-License-Identifier: MIT
#include "app/attach/folder_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FolderFilesTest : public testing::Test {
 protected:
  std::vector<std::string> below(const std::string& folder = "") const {
    return files_below((dir_ / folder).string());
  }
  // As paths from the folder.
  std::vector<std::string> like(const std::string& pattern) const {
    std::vector<std::string> files = files_like((dir_ / pattern).string());
    for (std::string& file : files) file = file.substr(dir_.path().string().size() + 1);
    return files;
  }
  void add(std::initializer_list<const char*> files) const {
    for (const char* file : files) dir_.file(file, "x");
  }
  TempDir dir_;
};

TEST_F(FolderFilesTest, FilesOfAFolderComeInOneOrder) {
  add({"b/z.txt", "a.txt", "c.txt", "b/a.txt", "b/b/c.txt", "B.txt"});
  EXPECT_THAT(below(), ElementsAre("B.txt", "a.txt", "b/a.txt", "b/b/c.txt", "b/z.txt", "c.txt"));
  EXPECT_THAT(below("b"), ElementsAre("a.txt", "b/c.txt", "z.txt"));
}

TEST_F(FolderFilesTest, WhatIsHiddenOrNotAFileIsLeftOut) {
  add({"a.txt", ".hidden", ".git/config", ".x/a.txt"});
  std::filesystem::create_symlink("a.txt", dir_ / "link.txt");
  std::filesystem::create_directory_symlink(".", dir_ / "loop");
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(below(), ElementsAre("a.txt"));
}

TEST_F(FolderFilesTest, NestedIgnoreFilesAreHonoured) {
  add({"a.txt", "a.o", "build/x.txt", "src/b.txt", "src/b.o", "src/gen/c.txt", "src/keep.o",
       "src/deep/gen/d.txt", "src/deep/e.log"});
  dir_.file(".gitignore", "*.o\n/build/\n");
  dir_.file("src/.gitignore", "/gen/\n!keep.o\n**/*.log\n");
  EXPECT_THAT(below(), ElementsAre("a.txt", "src/b.txt", "src/deep/gen/d.txt", "src/keep.o"));
}

TEST_F(FolderFilesTest, AFolderInARepositoryHasItsRulesToo) {
  add({"repo/.git/HEAD", "repo/src/a.txt", "repo/src/b.o", "repo/src/x/c.tmp", "repo/src/x/d.txt"});
  dir_.file("repo/.gitignore", "*.o\n/src/x/d.txt\n");
  dir_.file("repo/.git/info/exclude", "*.tmp\n");
  dir_.file(".gitignore", "*\n");  // of no repository that this is in
  EXPECT_THAT(below("repo/src"), ElementsAre("a.txt"));
  EXPECT_THAT(below("repo/src/x"), IsEmpty());
}

TEST_F(FolderFilesTest, AFolderThatIsNotThereIsToldInOneLine) {
  try {
    below("none");
    FAIL();
  } catch (const UserError& fault) {
    EXPECT_EQ(fault.what(), (dir_ / "none").string() + ": No such file or directory");
  }
}

TEST_F(FolderFilesTest, PatternsMeanFiles) {
  add({"a.c", "b.c", "c.h", ".d.c", "src/e.c", "src/x/f.c", "src/x/.g.c", ".git/h.c"});
  EXPECT_THAT(like("*.c"), ElementsAre("a.c", "b.c"));
  EXPECT_THAT(like(".*.c"), ElementsAre(".d.c"));
  EXPECT_THAT(like("s*/*.c"), ElementsAre("src/e.c"));
  EXPECT_THAT(like("**/*.c"), ElementsAre("a.c", "b.c", "src/e.c", "src/x/f.c"));
  EXPECT_THAT(like("src/**"), ElementsAre("src/e.c", "src/x/f.c"));
  EXPECT_THAT(like("src/**/**/f.c"), ElementsAre("src/x/f.c"));
  EXPECT_THAT(like("?.[ch]"), ElementsAre("a.c", "b.c", "c.h"));
  EXPECT_THAT(like("*"), ElementsAre("a.c", "b.c", "c.h")) << "and no folders";
  EXPECT_THAT(like("none/*.c"), IsEmpty());
  EXPECT_THAT(like("src/../*.h"), ElementsAre("src/../c.h"));
}

}  // namespace
}  // namespace confab::app
