// SPDX-License-Identifier: MIT
#include "ui/words.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(WordsTest, OnlyCapitalsOfAsciiAreLowered) {
  EXPECT_EQ(lower_case("AZaz@[09É"), "azaz@[09É");
}

TEST(WordsTest, BlanksAtTheEndsAreLeftOut) {
  EXPECT_EQ(trimmed("\t one  two \t"), "one  two");
  EXPECT_EQ(trimmed("one\n"), "one\n");
  EXPECT_EQ(trimmed(" one\r\n", " \r\n"), "one");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(WordsTest, AListIsTakenWordByWord) {
  std::string_view list = " Up  k";
  EXPECT_EQ(take_word(list), "Up");
  EXPECT_EQ(take_word(list), "k");
  EXPECT_EQ(take_word(list), "");
  EXPECT_EQ(take_word(list), "");
}

TEST(WordsTest, AListHasWholeWords) {
  EXPECT_TRUE(has_word("one two", "one"));
  EXPECT_TRUE(has_word("one two", "two"));
  EXPECT_FALSE(has_word("one two", "on"));
  EXPECT_FALSE(has_word("one two", "one two"));
  EXPECT_FALSE(has_word("one two", ""));
  EXPECT_FALSE(has_word("", ""));
}

}  // namespace
}  // namespace confab::ui
