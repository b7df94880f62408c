// SPDX-License-Identifier: MIT
// The screen as commands have it.
#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class ScreenConsoleTest : public ScreenFixture {};

TEST_F(ScreenConsoleTest, AQuestionStandsBelowUntilItIsAnswered) {
  Console& console = screen_;
  int n_said = 0;
  console.confirm("Overwrite it?", [&] { ++n_said; });
  EXPECT_TRUE(screen_.needs_screen());
  EXPECT_THAT(text(), HasSubstr("Overwrite it? (y/n)"));
  type("n");
  EXPECT_THAT(text(), Not(HasSubstr("Overwrite")));
  EXPECT_EQ(n_said, 0);
  const auto fail = [] { throw UserError("notes.md: it failed"); };
  console.confirm("And now?", [&] { console.confirm("Really?", fail); });
  type("y");
  EXPECT_THAT(text(), HasSubstr("Really?")) << "one may lead to the next";
  type("y");
  EXPECT_THAT(text(), HasSubstr("it failed"));
}

TEST_F(ScreenConsoleTest, OnlyWhatWasCopiedIsSaidToBe) {
  submit("one");
  answer("1.");
  host_.copied_to = CopiedTo::terminal;
  submit("/copy");
  EXPECT_THAT(text(), HasSubstr("Asked the terminal to copy the answer."));
  EXPECT_THAT(text(), Not(HasSubstr("Copied")));
  host_.copied_to = CopiedTo::nowhere;
  submit("/copy");
  EXPECT_THAT(text(), HasSubstr("the answer: not copied"));
  EXPECT_THAT(text(), Not(HasSubstr("Copied")));
}

// What turns text around is not shown so, but it is what was written; controls would be keys.
TEST_F(ScreenConsoleTest, WhatIsCopiedIsAsItWasWritten) {
  submit("one");
  answer("a\u202eb\u2069 \u200f\x1b[2J");
  submit("/copy");
  EXPECT_THAT(host_.copied, testing::ElementsAre("a\u202eb\u2069 \u200f\u241b[2J"));
}

}  // namespace
}  // namespace confab::app
