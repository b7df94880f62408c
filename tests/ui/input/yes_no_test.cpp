// SPDX-License-Identifier: MIT
#include "ui/input/yes_no.h"

#include <gtest/gtest.h>

#include <string>

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
  EXPECT_EQ(frame.to_text(), "a lo…sts. (y/n)\n");
  EXPECT_EQ(frame.cursor, (Point{Rows{0}, Cols{15}}));
}

TEST(YesNoTest, ALongQuestionTakesMoreRows) {
  Frame frame(Rows{4}, Cols{40});
  for (int row = 0; row < 4; ++row) frame.write({Rows{row}, Cols{0}}, "chat", {});
  YesNo("/home/ada/letters/1843-07-to-charles.md exists. Replace it?").draw(frame, Rows{3});
  EXPECT_EQ(frame.to_text(),
            "chat\nchat\n/home/ada/letters/1843-07-to-charles.md\nexists. Replace it? (y/n)\n");
  EXPECT_EQ(frame.cursor, (Point{Rows{3}, Cols{26}}));
}

TEST(YesNoTest, OfALongNameTheMiddleIsLeftOut) {
  Frame frame(Rows{5}, Cols{40});
  frame.write({Rows{1}, Cols{0}}, "chat", {});
  YesNo("Delete \"" + std::string(500, 'x') + "\" (2 messages) for good?").draw(frame, Rows{4});
  const std::string text = frame.to_text();
  EXPECT_TRUE(text.starts_with("\nchat\nDelete")) << text;
  EXPECT_TRUE(text.ends_with("\" (2 messages) for good? (y/n)\n")) << text;
  EXPECT_NE(text.find("x…x"), std::string::npos) << text;
}

TEST(YesNoTest, EverySizeIsDrawnAndHasItsKeysWhereTheyFit) {
  for (int rows = 1; rows < 5; ++rows)
    for (int cols = 1; cols < 50; ++cols) {
      Frame frame(Rows{rows}, Cols{cols});
      YesNo("Delete 漢字漢字漢字漢字漢字 and a_name_without_spaces_in_it for good?")
          .draw(frame, Rows{rows - 1});
      ASSERT_TRUE(frame.cursor);
      EXPECT_LT(frame.cursor->col.value, cols);
      const std::string text = frame.to_text();
      EXPECT_EQ(text.find("(y/n)") != std::string::npos, cols > 5) << rows << "x" << cols;
    }
}

}  // namespace
}  // namespace confab::ui
