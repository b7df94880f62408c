// SPDX-License-Identifier: MIT
#include "ui/frame.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

constexpr Point at(int row, int col) {
  return {Rows{row}, Cols{col}};
}

TEST(FrameTest, StartsBlankWithoutACursor) {
  const Frame frame(Rows{2}, Cols{3});
  EXPECT_EQ(frame.to_text(), "\n\n");
  EXPECT_EQ(frame.at(at(1, 2)), Cell{});
  EXPECT_FALSE(frame.cursor.has_value());
}

TEST(FrameTest, WritesInAStyleWithALink) {
  Frame frame(Rows{1}, Cols{5});
  const Style style{.role = Role::link, .underline = true};
  EXPECT_EQ(frame.write(at(0, 1), "ab", style, "https://example.org"), Cols{2});
  EXPECT_EQ(frame.to_text(), " ab\n");
  EXPECT_EQ(frame.at(at(0, 2)), (Cell{"b", style, "https://example.org"}));
  EXPECT_EQ(frame.at(at(0, 3)), Cell{});
}

TEST(FrameTest, ClipsAtEveryEdge) {
  Frame frame(Rows{1}, Cols{3});
  EXPECT_EQ(frame.write(at(0, 2), "xyz", {}), Cols{1});
  EXPECT_EQ(frame.write(at(0, -1), "ab", {}), Cols{1});
  EXPECT_EQ(frame.write(at(1, 0), "no", {}), Cols{0});
  EXPECT_EQ(frame.write(at(-1, 0), "no", {}), Cols{0});
  EXPECT_EQ(frame.write(at(0, 3), "no", {}), Cols{0});
  EXPECT_EQ(frame.to_text(), "b x\n");
}

TEST(FrameTest, AWideCharacterTakesTwoCellsOrNone) {
  Frame frame(Rows{1}, Cols{3});
  EXPECT_EQ(frame.write(at(0, 0), "漢字", {}), Cols{2});
  EXPECT_EQ(frame.at(at(0, 0)).text, "漢");
  EXPECT_EQ(frame.at(at(0, 1)).text, "");
  EXPECT_EQ(frame.at(at(0, 2)).text, " ");
}

TEST(FrameTest, OverwritingHalfOfAWideCharacterBlanksTheOther) {
  Frame right(Rows{1}, Cols{4}), left(Rows{1}, Cols{4}), both(Rows{1}, Cols{4});
  for (Frame* frame : {&right, &left, &both}) frame->write(at(0, 0), "漢字", {});
  right.write(at(0, 1), "x", {});
  EXPECT_EQ(right.to_text(), " x字\n");
  left.write(at(0, 0), "x", {});
  EXPECT_EQ(left.to_text(), "x 字\n");
  both.write(at(0, 1), "本", {});
  EXPECT_EQ(both.to_text(), " 本\n");
}

TEST(FrameTest, ControlsNeverReachACell) {
  Frame frame(Rows{1}, Cols{6});
  EXPECT_EQ(frame.write(at(0, 0), "a\tb\n\u200bc", {}), Cols{5});
  EXPECT_EQ(frame.to_text(), "a b c\n");
}

TEST(FrameTest, WritesALineOfSpans) {
  Frame frame(Rows{2}, Cols{8});
  const Style strong{.role = Role::strong, .bold = true};
  frame.write(at(1, 1), Line{{{"漢 ", {}}, {"bold", strong}}});
  EXPECT_EQ(frame.to_text(), "\n 漢 bold\n");
  EXPECT_EQ(frame.at(at(1, 4)).style, strong);
}

TEST(FrameTest, FillBlanksARow) {
  Frame frame(Rows{2}, Cols{2});
  frame.write(at(1, 0), "漢", {}, "https://example.org");
  const Style status{.role = Role::status};
  frame.fill(Rows{1}, status);
  frame.fill(Rows{2}, status);
  EXPECT_EQ(frame.at(at(1, 1)), (Cell{" ", status}));
  EXPECT_EQ(frame.at(at(0, 0)), Cell{});
}

TEST(FrameTest, TakesNoSizeAndNegativeSize) {
  Frame none(Rows{0}, Cols{0}), negative(Rows{-3}, Cols{-1});
  EXPECT_EQ(none.write(at(0, 0), "a", {}), Cols{0});
  EXPECT_EQ(none, negative);
  EXPECT_EQ(Frame(Rows{1}, Cols{0}).to_text(), "\n");
}

TEST(FrameTest, EqualityIsByValue) {
  Frame a(Rows{1}, Cols{2}), b(Rows{1}, Cols{2});
  a.write(at(0, 0), "x", {});
  EXPECT_NE(a, b);
  b.write(at(0, 0), "x", {});
  EXPECT_EQ(a, b);
  b.cursor = at(0, 1);
  EXPECT_NE(a, b);
}

TEST(FrameTest, TheCursorCanBeACellLikeOthers) {
  Frame frame(Rows{2}, Cols{4});
  frame.write({Rows{1}, Cols{0}}, "a界b", {});
  frame.cursor = Point{Rows{1}, Cols{1}};
  frame.draw_cursor({.role = Role::selection});
  frame.draw_cursor({.role = Role::rule});
  EXPECT_EQ(frame.cursor, std::nullopt);
  std::string drawn;
  for (int col = 0; col < 4; ++col)
    drawn += frame.at({Rows{1}, Cols{col}}).style.role == Role::selection ? '#' : '.';
  EXPECT_EQ(drawn, ".##.");
  EXPECT_EQ(frame.to_text(), "\na界b\n");
}

TEST(FrameTest, CroppingCutsNoWideCharacter) {
  Frame frame(Rows{2}, Cols{6});
  frame.write({Rows{0}, Cols{0}}, "ab界cd", {});
  frame.cursor = Point{Rows{1}, Cols{2}};
  EXPECT_EQ(frame.cropped(Rows{1}, Cols{4}).to_text(), "ab界\n");
  EXPECT_EQ(frame.cropped(Rows{1}, Cols{3}).to_text(), "ab\n");
  EXPECT_EQ(frame.cropped(Rows{2}, Cols{3}).cursor, frame.cursor);
  EXPECT_EQ(frame.cropped(Rows{1}, Cols{3}).cursor, std::nullopt);
  EXPECT_EQ(frame.cropped(Rows{9}, Cols{9}), frame);
  EXPECT_EQ(frame.cropped(Rows{0}, Cols{0}).to_text(), "");
}

}  // namespace
}  // namespace confab::ui
