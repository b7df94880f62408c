// SPDX-License-Identifier: MIT
#include "ui/transcript/status_bar.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

std::string draw(const StatusBar& status, int cols) {
  Frame frame(Rows{1}, Cols{cols});
  draw_status_bar(frame, Rows{0}, status);
  return frame.to_text();
}

const StatusBar kStatus{.left = {{"confab-demo", {}}, {"writing", {}}},
                        .right = {{"1.2k/8k", {}}, {"23 t/s", Role::status_accent}}};

TEST(StatusBarTest, LeftAndRightStandAtTheEdges) {
  EXPECT_EQ(draw(kStatus, 50), " confab-demo · writing           1.2k/8k · 23 t/s\n");
}

TEST(StatusBarTest, LaterPartsGiveWayFirst) {
  EXPECT_EQ(draw(kStatus, 40), " confab-demo           1.2k/8k · 23 t/s\n");
  EXPECT_EQ(draw(kStatus, 22), " confab-demo  1.2k/8k\n");
}

TEST(StatusBarTest, AHeavyPartStaysWhereverItStands) {
  const StatusBar status{.left = {{"demo", {}}},
                         .right = {{"hot", {}, 1}, {"1.2k/8k", {}, 2}, {"x", {}}}};
  EXPECT_EQ(draw(status, 30), " demo       hot · 1.2k/8k · x\n");
  EXPECT_EQ(draw(status, 28), " demo     hot · 1.2k/8k · x\n");
  EXPECT_EQ(draw(status, 23), " demo    hot · 1.2k/8k\n");
  EXPECT_EQ(draw(status, 20), " demo       1.2k/8k\n");
  EXPECT_EQ(draw(status, 10), " demo\n");
}

TEST(StatusBarTest, ATooLongPartEndsInAnEllipsis) {
  EXPECT_EQ(draw({.left = {{"a-rather-long-name", {}}}}, 12), " a-rather-…\n");
}

TEST(StatusBarTest, EachPartHasItsRole) {
  Frame frame(Rows{1}, Cols{50});
  draw_status_bar(frame, Rows{0}, {.right = {{"ab", Role::warning}, {"cd", Role::meter_low}}});
  EXPECT_EQ(frame.at({Rows{0}, Cols{42}}).style.role, Role::warning);
  EXPECT_EQ(frame.at({Rows{0}, Cols{45}}).style.role, Role::status);
  EXPECT_EQ(frame.at({Rows{0}, Cols{48}}).style.role, Role::meter_low);
}

TEST(StatusBarTest, NoWidthIsTooSmall) {
  for (int cols = 1; cols < 60; ++cols) {
    draw(kStatus, cols);
    draw({.left = {{"界界界", {}}}, .right = {{"界界", {}}}}, cols);
    draw({}, cols);
  }
}

TEST(StatusBarTest, UntrustedNamesAreMadeSafe) {
  const std::string shown = draw({.left = {{"a\x1b[31mb\nc", {}}}}, 40);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\n'), shown.size() - 1);
}

TEST(KeyHintsTest, AreCutBetweenThem) {
  EXPECT_EQ(key_hints({"Enter send", "Esc close"}, Cols{22}), "Enter send · Esc close");
  EXPECT_EQ(key_hints({"Enter send", "Esc close"}, Cols{21}), "Enter send");
  EXPECT_EQ(key_hints({"Enter send"}, Cols{9}), "");
}

}  // namespace
}  // namespace confab::ui
