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
