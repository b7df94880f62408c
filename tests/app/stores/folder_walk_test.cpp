// SPDX-License-Identifier: MIT
#include "app/stores/folder_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> relative(const std::vector<std::filesystem::path>& files,
                                  const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.lexically_relative(folder).string());
  return names;
}

TEST(FolderWalkTest, FindsFilesSoDeepAndNoDeeper) {
  const FakeHome home;
  for (const char* name : {"m/b.gguf", "m/a.gguf", "m/notes.txt", "m/x/c.gguf", "m/x/y/d.gguf"})
    home.model(name);
  EXPECT_THAT(relative(gguf_files_in(home.at("m"), 0), home.at("m")),
              ElementsAre("a.gguf", "b.gguf"));
  EXPECT_THAT(relative(gguf_files_in(home.at("m"), 1), home.at("m")),
              ElementsAre("a.gguf", "b.gguf", "x/c.gguf"));
  EXPECT_THAT(relative(files_in(home.at("m"), 0), home.at("m")),
              ElementsAre("a.gguf", "b.gguf", "notes.txt"));
}

TEST(FolderWalkTest, CirclesOfLinksEnd) {
  const FakeHome home;
  home.model("m/x/a.gguf");
  home.link("..", "m/x/up");
  home.link(".", "m/x/self");
  home.link("loop", "m/loop");
  EXPECT_THAT(relative(gguf_files_in(home.at("m"), 9), home.at("m")), ElementsAre("x/a.gguf"));
}

TEST(FolderWalkTest, WhatIsNotAFileIsPassedOver) {
  const FakeHome home;
  home.model("m/a.gguf");
  home.link("nothing", "m/dangling.gguf");
  std::filesystem::create_directories(home.at("m/folder.gguf"));
  ASSERT_EQ(mkfifo(home.at("m/pipe.gguf").c_str(), 0600), 0);
  EXPECT_THAT(relative(gguf_files_in(home.at("m"), 0), home.at("m")), ElementsAre("a.gguf"));
  EXPECT_EQ(small_text(home.at("m/pipe.gguf")), "");
}

TEST(FolderWalkTest, AFolderThatIsNotThereIsEmpty) {
  const FakeHome home;
  EXPECT_THAT(files_in(home.at("nowhere"), 3), IsEmpty());
  EXPECT_THAT(entries_of(home.model("file")), IsEmpty());
  EXPECT_THAT(entries_of(""), IsEmpty());
}

TEST(FolderWalkTest, OnlySmallFilesAreRead) {
  const FakeHome home;
  EXPECT_EQ(small_text(home.text("a", std::string("x\0y\n", 4))), std::string("x\0y\n", 4));
  EXPECT_EQ(small_text(home.text("b", std::string((1 << 20) + 1, 'x'))), "");
  EXPECT_EQ(small_text(home.at("nowhere")), "");
}

TEST(FolderWalkTest, APlainNameLeadsNowhereElse) {
  EXPECT_TRUE(is_plain_name("0123abcd"));
  for (const std::string name : {"", ".", "..", "a/b", "../x"}) EXPECT_FALSE(is_plain_name(name));
  EXPECT_FALSE(is_plain_name(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace confab::app
