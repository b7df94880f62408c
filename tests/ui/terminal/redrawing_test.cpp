// SPDX-License-Identifier: MIT
#include "ui/terminal/redrawing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace confab::ui {
namespace {

class RedrawingTest : public ::testing::Test {
 protected:
  RedrawingTest() {
    setenv("TERM", "xterm-256color", 1);
    unsetenv("ACCESSIBLE");
  }
  ~RedrawingTest() override { unsetenv("ACCESSIBLE"); }
};

using RedrawingTerminalTest = RedrawingTest;

TEST_F(RedrawingTest, ScreenReadersAreAskedForInTheEnvironment) {
  EXPECT_FALSE(wants_accessible());
  for (const char* off : {"", "0"}) {
    setenv("ACCESSIBLE", off, 1);
    EXPECT_FALSE(wants_accessible()) << off;
  }
  setenv("ACCESSIBLE", "1", 1);
  EXPECT_TRUE(wants_accessible());
}

TEST_F(RedrawingTerminalTest, OnlyATerminalThatMovesItsCursorIsDrawnOnAgain) {
  const int controller = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(controller, 0);
  ASSERT_EQ(grantpt(controller), 0);
  ASSERT_EQ(unlockpt(controller), 0);
  const int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  EXPECT_TRUE(may_redraw(terminal));
  setenv("ACCESSIBLE", "1", 1);
  EXPECT_FALSE(may_redraw(terminal));
  unsetenv("ACCESSIBLE");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(may_redraw(terminal));
  unsetenv("TERM");
  EXPECT_FALSE(may_redraw(terminal));
  setenv("TERM", "xterm-256color", 1);
  const int nothing = open("/dev/null", O_RDWR);
  EXPECT_FALSE(may_redraw(nothing));
  for (const int fd : {nothing, terminal, controller}) close(fd);
}

}  // namespace
}  // namespace confab::ui
