// SPDX-License-Identifier: MIT
#include "app/attach/folder_files.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

bool leaves_out(std::string_view lines, std::string_view path, bool is_folder = false) {
  IgnoreRules rules;
  rules.add("", lines);
  return rules.leaves_out(path, is_folder);
}

TEST(IgnoreRulesTest, ANameCountsHoweverDeep) {
  EXPECT_TRUE(leaves_out("*.o", "a.o"));
  EXPECT_TRUE(leaves_out("*.o", "x/y/a.o"));
  EXPECT_TRUE(leaves_out("build", "x/build", true));
  EXPECT_FALSE(leaves_out("*.o", "a.c"));
  EXPECT_FALSE(leaves_out("build", "x/builds"));
}

TEST(IgnoreRulesTest, ASlashTiesAPatternToItsFolder) {
  EXPECT_TRUE(leaves_out("/build", "build"));
  EXPECT_FALSE(leaves_out("/build", "x/build"));
  EXPECT_TRUE(leaves_out("docs/*.txt", "docs/a.txt"));
  EXPECT_FALSE(leaves_out("docs/*.txt", "x/docs/a.txt"));
  EXPECT_FALSE(leaves_out("docs/*.txt", "docs/x/a.txt"));
  EXPECT_TRUE(leaves_out("**/docs/*.txt", "x/docs/a.txt"));
  EXPECT_TRUE(leaves_out("docs/**/a.txt", "docs/x/y/a.txt"));
  EXPECT_TRUE(leaves_out("docs/**", "docs/a"));
  EXPECT_FALSE(leaves_out("docs/**", "docs", true));
}

TEST(IgnoreRulesTest, ASlashAtTheEndMeansFoldersOnly) {
  EXPECT_TRUE(leaves_out("out/", "x/out", true));
  EXPECT_FALSE(leaves_out("out/", "x/out"));
  EXPECT_TRUE(leaves_out("/a/out/", "a/out", true));
  EXPECT_FALSE(leaves_out("/a/out/", "out", true));
}

TEST(IgnoreRulesTest, TheLastRuleCountsAndMayTakeBack) {
  EXPECT_FALSE(leaves_out("*.log\n!keep.log\n", "keep.log"));
  EXPECT_TRUE(leaves_out("*.log\n!keep.log\n", "other.log"));
  EXPECT_TRUE(leaves_out("!keep.log\n*.log\n", "keep.log"));
  EXPECT_FALSE(leaves_out("/*\n!/src/\n", "src", true));
}

TEST(IgnoreRulesTest, CommentsBlanksAndBackslashes) {
  EXPECT_FALSE(leaves_out("# a\n\n   \n", "a"));
  EXPECT_TRUE(leaves_out("\\#a\n", "#a"));
  EXPECT_TRUE(leaves_out("\\!a\n", "!a"));
  EXPECT_TRUE(leaves_out("a  \r\n", "a"));
  EXPECT_TRUE(leaves_out("a\\ \n", "a "));
  EXPECT_FALSE(leaves_out("/\n", "a"));
  EXPECT_TRUE(
      leaves_out("\xEF\xBB\xBF"
                 "a",
                 "a"));
}

TEST(IgnoreRulesTest, AFileOfAnInnerFolderCountsThereAndLater) {
  IgnoreRules rules;
  rules.add("", "*.txt\n");
  rules.add("src/", "!*.txt\n/gen\n");
  EXPECT_TRUE(rules.leaves_out("a.txt", false));
  EXPECT_FALSE(rules.leaves_out("src/a.txt", false));
  EXPECT_FALSE(rules.leaves_out("src/x/a.txt", false));
  EXPECT_TRUE(rules.leaves_out("src/gen", true));
  EXPECT_FALSE(rules.leaves_out("src/x/gen", true));
  EXPECT_FALSE(rules.leaves_out("gen", true));
}

}  // namespace
}  // namespace confab::app
