// SPDX-License-Identifier: MIT
#include "app/attach/wildcard.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

TEST(WildcardTest, StarsAndQuestionMarksStayInTheirPart) {
  EXPECT_TRUE(matches("*.cpp", "a.cpp"));
  EXPECT_TRUE(matches("*.cpp", ".cpp"));
  EXPECT_FALSE(matches("*.cpp", "src/a.cpp"));
  EXPECT_TRUE(matches("src/*", "src/a.cpp"));
  EXPECT_FALSE(matches("src/*", "src/x/a.cpp"));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_TRUE(matches("a?c", "a\u00e9c")) << "a character, not a byte";
  EXPECT_FALSE(matches("a?c", "a/c"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_TRUE(matches("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(matches("*a*b*", "xxbxxaxx"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("a", ""));
}

TEST(WildcardTest, TwoStarsAreAnyParts) {
  EXPECT_TRUE(matches("**/a.cpp", "a.cpp"));
  EXPECT_TRUE(matches("**/a.cpp", "x/y/a.cpp"));
  EXPECT_TRUE(matches("src/**/a.cpp", "src/a.cpp"));
  EXPECT_TRUE(matches("src/**/a.cpp", "src/x/y/a.cpp"));
  EXPECT_FALSE(matches("src/**/a.cpp", "x/a.cpp"));
  EXPECT_TRUE(matches("src/**", "src/x/a.cpp"));
  EXPECT_FALSE(matches("src/**", "src")) << "what is below, and not the folder";
  EXPECT_TRUE(matches("**", "a/b"));
  EXPECT_TRUE(matches("**/x/**/y", "a/x/b/x/c/y"));
  EXPECT_FALSE(matches("**/x/**/y", "a/x/b"));
  EXPECT_TRUE(matches("a**b", "axxb")) << "inside a part they are one";
  EXPECT_FALSE(matches("a**b", "ax/xb"));
}

TEST(WildcardTest, Classes) {
  EXPECT_TRUE(matches("[a-c].txt", "b.txt"));
  EXPECT_FALSE(matches("[a-c].txt", "d.txt"));
  EXPECT_TRUE(matches("[!a-c].txt", "d.txt"));
  EXPECT_FALSE(matches("[^a-c].txt", "a.txt"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("[a-]", "-"));
  EXPECT_TRUE(matches("[\\]]", "]"));
  EXPECT_TRUE(matches("a[", "a[")) << "one that is not closed is a character";
  EXPECT_FALSE(matches("[!a]", ""));
}

TEST(WildcardTest, ABackslashTakesTheMeaning) {
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "a"));
  EXPECT_TRUE(matches("a\\[b\\]", "a[b]"));
  EXPECT_TRUE(matches("a\\", "a\\"));
}

TEST(WildcardTest, ManyStarsDoNotTakeForEver) {
  std::string stars, many;
  for (int i = 0; i < 200; ++i) {
    stars += "a*";
    many += "**/a/";
  }
  const std::string text(20000, 'a');
  EXPECT_FALSE(matches_part(stars + "b", text));
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "a/";
  EXPECT_FALSE(matches(many + "b", deep + "c"));
}

TEST(WildcardTest, KnowsWhatIsAPattern) {
  EXPECT_TRUE(has_wildcard("*.c") && has_wildcard("a?") && has_wildcard("[ab]"));
  EXPECT_FALSE(has_wildcard("plain/path.txt"));
}

}  // namespace
}  // namespace confab::app
