// SPDX-License-Identifier: MIT
#include "ui/terminal/cursor_motion.h"

#include <gtest/gtest.h>

#include "tests/ui/vt_screen.h"

namespace confab::ui {
namespace {

constexpr Capabilities kAbsolute{.absolute_column = true, .absolute_row = true};

Point at(int row, int col) {
  return {Rows{row}, Cols{col}};
}

TEST(CursorMotionTest, IsTheShortest) {
  EXPECT_EQ(cursor_motion({5, 5}, at(5, 5), {}), "");
  EXPECT_EQ(cursor_motion({}, at(0, 0), {}), "\x1b[H");
  EXPECT_EQ(cursor_motion({}, at(4, 0), {}), "\x1b[5H");
  EXPECT_EQ(cursor_motion({}, at(4, 9), {}), "\x1b[5;10H");
  EXPECT_EQ(cursor_motion({5, 9}, at(6, 0), {}), "\n\r");
  EXPECT_EQ(cursor_motion({5, 9}, at(5, 8), {}), "\b");
  EXPECT_EQ(cursor_motion({5, 9}, at(5, 10), {}), "\x1b[C");
  EXPECT_EQ(cursor_motion({5, {}}, at(5, 30), kAbsolute), "\x1b[31G");
  EXPECT_EQ(cursor_motion({5, {}}, at(5, 30), {}), "\r\x1b[30C");
  EXPECT_EQ(cursor_motion({{}, 30}, at(15, 30), kAbsolute), "\x1b[16d");
}

TEST(CursorMotionTest, LeadsFromEverywhereToEverywhere) {
  constexpr int kRows = 7, kCols = 12;
  VtScreen screen(kRows, kCols);
  for (const Capabilities& can : {Capabilities{}, kAbsolute}) {
    for (int from = 0; from < kRows * kCols; ++from) {
      for (int to = 0; to < kRows * kCols; ++to) {
        screen.feed(cursor_motion({}, at(from / kCols, from % kCols), can));
        const CursorAt known{from / kCols, from % kCols};
        screen.feed(cursor_motion(known, at(to / kCols, to % kCols), can));
        ASSERT_EQ(screen.cursor(), at(to / kCols, to % kCols)) << from;
      }
    }
  }
  EXPECT_EQ(screen.n_scrolled(), 0);
}

// Also where there are not enough rows below: the way back is as long.
TEST(CursorMotionTest, IsRelativeWhereTheRowIsNotKnown) {
  EXPECT_EQ(relative_motion({3, 4}, at(3, 4), kAbsolute), "");
  EXPECT_EQ(relative_motion({3, 4}, at(0, 0), kAbsolute), "\x1b[3A\r");
  VtScreen screen(4, 12);
  screen.feed("\x1b[3;2Htop");
  screen.feed(relative_motion({0, 4}, at(3, 6), kAbsolute) + "x");
  screen.feed(relative_motion({3, {}}, at(0, 3), kAbsolute));
  EXPECT_EQ(screen.cursor(), at(0, 3));
  EXPECT_EQ(screen.to_text(), " top\n\n\n      x\n");
}

}  // namespace
}  // namespace confab::ui
