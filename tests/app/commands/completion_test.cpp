// SPDX-License-Identifier: MIT
#include "app/commands/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PathCompletionTest : public testing::Test {
 protected:
  PathCompletionTest() {
    for (const char* folder : {"src", "my docs", ".hidden"})
      std::filesystem::create_directory(folder_ / folder);
    for (const char* file : {"read me.md", "readme.md", "src/main.c", "src/map.c",
                             "my docs/a b.txt", ".profile", "quote\"d", "line\nbreak"})
      std::ofstream(folder_ / file) << "text";
  }

  std::vector<std::string> completed(std::string_view word) const {
    std::vector<std::string> texts;
    for (const ui::Candidate& candidate : complete_path(word, folder_ / ""))
      texts.push_back(candidate.text);
    return texts;
  }

  TempDir folder_;
};

TEST_F(PathCompletionTest, FindsFilesFromTheFolderOn) {
  EXPECT_THAT(completed("@"), ElementsAre("@\"my docs/", "@\"read me.md\"", "@readme.md", "@src/"));
  EXPECT_THAT(completed("@s"), ElementsAre("@src/"));
  EXPECT_THAT(completed("@src/ma"), ElementsAre("@src/main.c", "@src/map.c"));
  EXPECT_THAT(completed("@x"), IsEmpty());
  EXPECT_THAT(completed("@none/"), IsEmpty());
}

TEST_F(PathCompletionTest, BlanksAreQuoted) {
  EXPECT_THAT(completed("@\"my docs/"), ElementsAre("@\"my docs/a b.txt\""));
  EXPECT_THAT(completed("@\"re"), ElementsAre("@\"read me.md\"", "@\"readme.md\""));
}

TEST_F(PathCompletionTest, HiddenFilesMustBeAskedFor) {
  EXPECT_THAT(completed("@."), ElementsAre("@.hidden/", "@.profile"));
}

TEST_F(PathCompletionTest, OtherWordsAreNotPaths) {
  for (const char* word : {"", "s", "a@s", "/s"}) EXPECT_THAT(completed(word), IsEmpty()) << word;
}

TEST_F(PathCompletionTest, AbsolutePathsAndTheHomeFolder) {
  const std::string folder = (folder_ / "src").string();
  EXPECT_THAT(completed("@" + folder + "/mai"), ElementsAre("@" + folder + "/main.c"));
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", folder.c_str(), 1);
  EXPECT_THAT(completed("@~/mai"), ElementsAre("@~/main.c"));
  setenv("HOME", before.c_str(), 1);
}

TEST_F(PathCompletionTest, SaysWhatAFileIs) {
  const std::vector<ui::Candidate> found = complete_path("@src", folder_ / "");
  EXPECT_EQ(found.at(0).description, "folder");
  EXPECT_EQ(complete_path("@readme", folder_ / "").at(0).description, "4 B");
}

TEST_F(PathCompletionTest, ThereIsABoundOnAFolder) {
  for (std::size_t i = 0; i < kMaxPaths + 10; ++i)
    std::ofstream(folder_ / "my docs" / std::to_string(i));
  EXPECT_EQ(completed("@my docs/").size(), kMaxPaths);
}

}  // namespace
}  // namespace confab::app
