// SPDX-License-Identifier: MIT
#include "ui/input/draft.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(IsOpenBlockTest, FromThreeQuotesToThreeQuotes) {
  for (const char* open : {"\"\"\"", "\"\"\"a", "  \"\"\"a\nb\n", "\"\"\"\"", "\"\"\"\"\"",
                           "\"\"\"a\"\"\"\nb", "\"\"\"a \"\" "})
    EXPECT_TRUE(is_open_block(open)) << open;
  for (const char* whole : {"", "a", "\"\"", "a \"\"\"", "\"\"\"\"\"\"", "\"\"\"a\nb\"\"\" \n"})
    EXPECT_FALSE(is_open_block(whole)) << whole;
}

TEST(EndsInBackslashTest, ABackslashStandsForTheNextOne) {
  EXPECT_TRUE(ends_in_backslash("a\\"));
  EXPECT_TRUE(ends_in_backslash("\\"));
  EXPECT_TRUE(ends_in_backslash("a\\\\\\"));
  for (const char* text : {"", "a", "a\\\\", "\\a", "a\\ "}) EXPECT_FALSE(ends_in_backslash(text));
}

TEST(MessageOfTest, DropsTheQuotesAroundABlock) {
  EXPECT_EQ(message_of("\"\"\"one\ntwo\"\"\""), "one\ntwo");
  EXPECT_EQ(message_of(" \"\"\"\n one\n\n\"\"\"\n"), " one\n");
  EXPECT_EQ(message_of("\"\"\"a \"\"\" b\"\"\""), "a \"\"\" b");
  EXPECT_EQ(message_of("\"\"\"\"\"\""), "");
}

TEST(MessageOfTest, LeavesAllElseAlone) {
  for (const char* text : {"", " a\n", "\"\"\"open", "say \"\"\"this\"\"\"", "\"\""})
    EXPECT_EQ(message_of(text), text);
}

}  // namespace
}  // namespace confab::ui
