// SPDX-License-Identifier: MIT
// The screen as commands have it.
#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

class ScreenConsoleTest : public ScreenFixture {};

TEST_F(ScreenConsoleTest, AQuestionStandsBelowUntilItIsAnswered) {
  Console& console = screen_;
  int n_said = 0;
  console.confirm("Overwrite it?", [&] { ++n_said; });
  wait(std::chrono::seconds(1));  // it has opened by itself
  EXPECT_TRUE(screen_.needs_screen());
  EXPECT_THAT(text(), HasSubstr("Overwrite it? (y/n)"));
  type("n");
  EXPECT_THAT(text(), Not(HasSubstr("Overwrite")));
  EXPECT_EQ(n_said, 0);
  const auto fail = [] { throw UserError("notes.md: it failed"); };
  console.confirm("And now?", [&] { console.confirm("Really?", fail); });
  wait(std::chrono::seconds(1));
  type("y");
  EXPECT_THAT(text(), HasSubstr("Really?")) << "one may lead to the next";
  type("y");
  EXPECT_THAT(text(), HasSubstr("it failed"));
}

TEST_F(ScreenConsoleTest, WhatOpensByItselfGetsNoKeysThatAreMeantForTheInput) {
  Console& console = screen_;
  int n_yes = 0;
  type("y");
  console.confirm("Let them go?", [&] { ++n_yes; });
  for (int i = 0; i < 5; ++i) {
    host_.time += std::chrono::milliseconds(300);
    type("y");
  }
  screen_.take(ui::Paste{.text = "y"});
  EXPECT_EQ(n_yes, 0);
  EXPECT_THAT(text(), HasSubstr("yyyyyyy")) << "no letter is lost";
  EXPECT_THAT(text(), HasSubstr("Let them go? (y/n)"));
  ASSERT_TRUE(screen_.due());
  wait(std::chrono::seconds(1));
  press(Code::enter);
  EXPECT_EQ(n_yes, 0) << "Enter says nothing";
  EXPECT_THAT(text(), HasSubstr("Let them go?"));
  type("y");
  EXPECT_EQ(n_yes, 1);
}

TEST_F(ScreenConsoleTest, OneDialogNeverTakesThePlaceOfAnother) {
  Console& console = screen_;
  std::string said;
  console.confirm("First?", [&] { said += "first "; });
  console.notice("Two\nlines");
  console.confirm("Second?", [&] { said += "second "; });
  wait(std::chrono::seconds(1));
  type("y");
  EXPECT_THAT(text(), HasSubstr("lines"));
  wait(std::chrono::seconds(1));
  press(Code::escape);
  EXPECT_THAT(text(), HasSubstr("Second?"));
  type("y");
  EXPECT_EQ(said, "first ") << "the key was for what stood there before";
  wait(std::chrono::seconds(1));
  type("y");
  EXPECT_EQ(said, "first second ");
}

TEST_F(ScreenConsoleTest, CopyingSaysWhichWayItWentAndHowLongItIs) {
  submit("one");
  answer("Ünö.");
  submit("/copy");
  EXPECT_THAT(text(), HasSubstr("Copied the answer (4 characters) with wl-copy."));
  host_.copied_to = {Copied::To::terminal};
  submit("/copy");
  EXPECT_THAT(text(), HasSubstr("Asked the terminal to copy the answer (4 characters)."));
  EXPECT_THAT(text(), Not(HasSubstr("Copied")));
}

TEST_F(ScreenConsoleTest, WhereNothingCanCopyAFileIsOffered) {
  submit("one");
  answer("1.");
  host_.copied_to = {Copied::To::nowhere};
  submit("/copy");
  EXPECT_THAT(
      text(12, 80),
      HasSubstr("Cannot copy here: no wl-copy, xclip or xsel. Save to a file instead? (y/n)"));
  type("y");
  EXPECT_THAT(text(), HasSubstr("Save to: copied.md"));
  press("Ctrl+U");
  type((home_ / "answer.md").string());
  press(Code::enter);
  EXPECT_EQ(read_file(home_ / "answer.md"), "1.");
  submit("/copy");
  type("y");
  press("Ctrl+U");
  type((home_ / "no/answer.md").string());
  press(Code::enter);
  EXPECT_THAT(text(12, 200), HasSubstr("! ")) << "what fails is told";
}

TEST_F(ScreenConsoleTest, ALongTitleLeavesTheQuestionInANarrowWindow) {
  submit(std::string(90, 'a'));
  answer("Hi.");
  submit("/delete ");
  for (const std::string& shown : {text(12, 40), text(4, 40)}) {
    EXPECT_THAT(shown, HasSubstr("Delete"));
    EXPECT_THAT(shown, testing::EndsWith("(2 messages) for good? (y/n)\n"));
  }
}

}  // namespace
}  // namespace confab::app
