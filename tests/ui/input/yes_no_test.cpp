// SPDX-License-Identifier: MIT
#include "ui/input/yes_no.h"

#include <gtest/gtest.h>

#include "tests/ui/input/key_named.h"

namespace confab::ui {
namespace {

TEST(YesNoTest, OnlyItsKeysAnswer) {
  const YesNo question("Sure?");
  const auto feed = [&](const char* key) { return question.feed(*key_named(key)); };
  for (const char* yes : {"y", "Y"}) EXPECT_EQ(feed(yes), YesNo::Outcome::yes) << yes;
  for (const char* no : {"n", "N", "Esc", "Ctrl+C", "Ctrl+G"})
    EXPECT_EQ(feed(no), YesNo::Outcome::no) << no;
  for (const char* other : {"x", "Enter", "Alt+Y", "Ctrl+Y", "Up"})
    EXPECT_EQ(feed(other), YesNo::Outcome::open) << other;
}

TEST(YesNoTest, TheKeysStandThereHoweverLongItIs) {
  Frame frame(Rows{1}, Cols{16});
  YesNo("a\nlong name exists.").draw(frame, Rows{0});
  EXPECT_EQ(frame.to_text(), "a long n… (y/n)\n");
  EXPECT_EQ(frame.cursor, (Point{Rows{0}, Cols{15}}));
}

}  // namespace
}  // namespace confab::ui
