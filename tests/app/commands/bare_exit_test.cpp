// SPDX-License-Identifier: MIT
#include "app/commands/commands.h"

#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using BareExitTest = CommandFixture;

TEST_F(BareExitTest, TellsOnceBeforeAnythingWasSaid) {
  BareExit exit;
  EXPECT_EQ(exit.advice(chat_, "exit the loop"), "");
  EXPECT_EQ(exit.advice(chat_, "exit"),
            "To leave: /exit or Ctrl+D. Send \"exit\" again to ask the model.");
  EXPECT_EQ(exit.advice(chat_, "exit"), "");
  EXPECT_NE(exit.advice(chat_, "quit"), "");
  say("Hello");
  EXPECT_EQ(exit.advice(chat_, "exit"), "");
}

}  // namespace
}  // namespace confab::app
