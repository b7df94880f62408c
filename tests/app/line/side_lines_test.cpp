// SPDX-License-Identifier: MIT
#include "app/line/side_lines.h"

#include <gtest/gtest.h>

#include "tests/app/line/written.h"

namespace confab::app {
namespace {

TEST(SideLinesTest, EveryTextIsALineOfTheProgram) {
  const WrittenFile file;
  SideLines side(false, file.file());
  side.notice("a notice");
  side.notice("");
  side.error("an \x1b[31merror");
  side.line("{}");
  side.progress("half");
  EXPECT_EQ(file.text(), "confab: a notice\nconfab: an \u241B[31merror\n{}\n")
      << "and progress is only for terminals";
}

TEST(SideLinesTest, QuietLeavesErrorsAndWhatWasAskedFor) {
  const WrittenFile file;
  SideLines side(true, file.file());
  side.notice("a notice");
  side.error("an error");
  side.line("{}");
  EXPECT_EQ(file.text(), "confab: an error\n{}\n");
}

TEST(SideLinesTest, WhatIsWaitedForIsALineWhereNoProgressIsSeen) {
  const WrittenFile file;
  SideLines side(false, file.file());
  side.waiting("work is busy; asking again in 4 s", "work is busy");
  side.waiting("work is busy; asking again in 2 s", "work is busy");
  side.waiting("work loads its model; asking again", "work loads its model");
  EXPECT_EQ(
      file.text(),
      "confab: work is busy; asking again in 4 s\nconfab: work loads its model; asking again\n");
}

}  // namespace
}  // namespace confab::app
