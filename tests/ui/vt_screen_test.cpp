// SPDX-License-Identifier: MIT
#include "tests/ui/vt_screen.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(VtScreenTest, ShowsTextLooksAndLinks) {
  VtScreen screen(3, 10);
  screen.feed("a\x1b[1;31mb\x1b[m\x1b]8;;https://a.example\x1b\\界\x1b]8;;\x1b\\\x1b[2;3He\u0301");
  EXPECT_EQ(screen.to_text(), "ab界\n  e\u0301\n\n");
  EXPECT_EQ(screen.at(0, 1).look, (Look{.fg = indexed(1), .bold = true}));
  EXPECT_EQ(screen.at(0, 2).link, "https://a.example");
  EXPECT_EQ(screen.at(0, 3).text, "");
  EXPECT_EQ(screen.cursor(), (Point{Rows{1}, Cols{3}}));
}

TEST(VtScreenTest, HalfOfAWideCharacterThatIsOverwrittenIsBlank) {
  VtScreen screen(1, 6);
  screen.feed("界界\x1b[1;2Hx\x1b[1;3Hy");
  EXPECT_EQ(screen.to_text(), " xy\n");
}

TEST(VtScreenTest, ScrollsAndAnswers) {
  VtScreen screen(2, 4);
  screen.feed("one\r\ntwo\r\nsix\a\x1b[c");
  EXPECT_EQ(screen.to_text(), "two\nsix\n");
  EXPECT_EQ(screen.n_scrolled(), 1);
  EXPECT_EQ(screen.n_bells(), 1);
  EXPECT_TRUE(screen.take_answers().starts_with("\x1b[?1;2c"));
}

TEST(VtScreenTest, TheAlternateScreenLeavesTheOtherAsItWas) {
  VtScreen screen(2, 10);
  screen.feed("one");
  screen.feed("\x1b[?1049h\x1b[Htwo");
  EXPECT_TRUE(screen.alternate());
  EXPECT_EQ(screen.to_text(), "two\n\n");
  screen.feed("\x1b[?1049l");
  EXPECT_EQ(screen.to_text(), "one\n\n");
  EXPECT_EQ(screen.cursor(), (Point{Rows{0}, Cols{3}}));
}

}  // namespace
}  // namespace confab::ui
