// SPDX-License-Identifier: MIT
#include "app/screen/palette.h"

#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

TEST(CommandsLikeTest, NamesAliasesAndHelpAreLookedAt) {
  const auto first = [](std::string_view typed) {
    const auto found = commands_like(typed);
    return found.empty() ? "" : std::string(found.front()->name);
  };
  EXPECT_EQ(commands_like("").size(), commands().size());
  EXPECT_EQ(first("hist"), "/history");
  EXPECT_EQ(first("rsm"), "/resume");
  EXPECT_EQ(first("quit"), "/exit") << "by its other name";
  EXPECT_EQ(first("set"), "/set") << "a whole name before one that has these letters";
  EXPECT_EQ(first("colours"), "/theme") << "by what it does";
  EXPECT_EQ(first("hlep"), "");
}

TEST(CommandsLikeTest, WhatWritesOrDeletesDoesNotRunByBeingChosen) {
  for (const char* name : {"/delete", "/export", "/undo", "/forget", "/compact", "/import", "/dump",
                           "/retry", "/continue", "/fork", "/rename", "/pin", "/unpin"}) {
    const Command* command = find_command(name);
    ASSERT_NE(command, nullptr) << name;
    EXPECT_EQ(command->when_chosen, WhenChosen::is_written) << name;
  }
}

TEST(ArgumentHintTest, StandsBehindANameAndASpace) {
  EXPECT_THAT(argument_hint("/undo "), HasSubstr("[N] · "));
  EXPECT_EQ(argument_hint("/quit "), find_command("/exit")->help);
  EXPECT_EQ(argument_hint("/undo"), "");
  EXPECT_EQ(argument_hint("/undo 2 "), "");
  EXPECT_EQ(argument_hint("/nothing "), "");
  EXPECT_EQ(argument_hint(" "), "");
}

class PaletteTest : public ScreenFixture {
 protected:
  std::string shown() { return text(24, 80); }
};

TEST_F(PaletteTest, ASlashListsTheCommandsAndLettersNarrowThemDown) {
  type("/");
  EXPECT_THAT(shown(), HasSubstr("/help [keys]"));
  EXPECT_THAT(shown(), HasSubstr("/resume [NAME|ID]"));
  EXPECT_THAT(shown(), HasSubstr("Enter choose · ↑↓ move"));
  EXPECT_THAT(shown(), HasSubstr("› /\n"));
  type("hist");
  EXPECT_THAT(shown(), HasSubstr("/history [N]  list the last N questions"));
  EXPECT_THAT(shown(), Not(HasSubstr("/resume [")));
  screen_.take(ui::Key{.code = Code::backspace, .bytes = "\x7f"});
  EXPECT_THAT(shown(), HasSubstr("/history [N]"));
  type(" ");
  EXPECT_THAT(shown(), Not(HasSubstr("/history")));
}

TEST_F(PaletteTest, OnlyTypingOpensIt) {
  submit("Hello?");
  answer("Hi.");
  submit("/set top_k 7");
  type("x");
  control('c');
  submit("/theme");
  press(Code::escape);
  screen_.take(ui::Key{.code = Code::up, .bytes = "\x1b[A"});
  EXPECT_THAT(shown(), HasSubstr("› /theme\n"));
  EXPECT_THAT(shown(), Not(HasSubstr("Enter choose")));
  screen_.take(ui::Key{.code = Code::up, .bytes = "\x1b[A"});
  EXPECT_THAT(shown(), HasSubstr("› /set top_k 7\n")) << "and goes on through the history";
  control('c');
  screen_.take(ui::Paste{"/th"});
  EXPECT_THAT(shown(), Not(HasSubstr("Enter choose")));
}

TEST_F(PaletteTest, WhatIsChosenRuns) {
  submit("/the");
  EXPECT_THAT(shown(), HasSubstr("Themes ›"));
  press(Code::escape);
  type("/");
  press(Code::down);
  press(Code::enter);
  EXPECT_THAT(shown(), HasSubstr("confab · fake")) << "the second one, /new";
  EXPECT_THAT(shown(), HasSubstr("› Ask anything"));
}

TEST_F(PaletteTest, WhatWritesDeletesOrNeedsAnArgumentIsWrittenWithItsArguments) {
  submit("Hello?");
  answer("Hi.");
  submit("/und");
  EXPECT_THAT(shown(), HasSubstr("› /undo [N] · take back"));
  EXPECT_THAT(shown(), HasSubstr("Hi."));
  type("1");
  EXPECT_THAT(shown(), HasSubstr("› /undo 1\n"));
  control('c');
  submit("/glo");
  EXPECT_THAT(shown(), HasSubstr("› /glob PATTERN · "));
  press(Code::enter);
  EXPECT_THAT(shown(), HasSubstr("! ")) << "which says what is missing";
}

TEST_F(PaletteTest, AWholeNameRunsAsItWasTyped) {
  submit("Hello?");
  answer("Hi.");
  submit("/undo");
  EXPECT_THAT(shown(), Not(HasSubstr("Hi.")));
}

TEST_F(PaletteTest, TabCompletesAndEscapeCloses) {
  type("/the");
  screen_.take(ui::Key{.code = Code::tab, .bytes = "\t"});
  EXPECT_THAT(shown(), HasSubstr("› /theme [NAME] · "));
  control('c');
  type("/the");
  press(Code::escape);
  EXPECT_THAT(shown(), HasSubstr("› Ask anything"));
  EXPECT_THAT(shown(), Not(HasSubstr("Enter choose")));
}

TEST_F(PaletteTest, EscapeClosesItBeforeItStopsAnAnswer) {
  submit("Hello?");
  type("/");
  press(Code::escape);
  EXPECT_TRUE(screen_.generating());
  EXPECT_EQ(model().n_cancelled, 0);
  type("/ne");
  press(Code::enter);
  EXPECT_THAT(shown(), HasSubstr("⋯ waiting: /new"));
}

TEST_F(PaletteTest, AClickIsEnterOnItsRow) {
  const auto click = [this](std::string_view command) {
    screen_.take(ui::Click{.row = row_of(shown(), command), .col = 4});
  };
  submit("Hello?");
  answer("Hi.");
  type("/");
  click("/undo [N]");
  EXPECT_THAT(shown(), HasSubstr("› /undo [N] · take back")) << "which writes";
  EXPECT_THAT(shown(), HasSubstr("Hi."));
  control('c');
  type("/the");
  click("/theme [NAME]");
  EXPECT_THAT(shown(), HasSubstr("Themes ›")) << "which runs";
  press(Code::escape);
  type("/new");
  click("/new");
  EXPECT_THAT(shown(), HasSubstr("confab · fake"));
}

TEST_F(PaletteTest, AClickFindsItsRowWhereTheListHasMoved) {
  type("/");
  press(Code::up);
  EXPECT_THAT(shown(), Not(HasSubstr("/new ")));
  const int row = row_of(shown(), "  /explain [to=...]");
  ASSERT_GT(row, 0) << shown();
  screen_.take(ui::Click{.row = row, .col = 4});
  EXPECT_THAT(shown(), HasSubstr("› /explain [to=...] [TEXT] · "));
}

TEST_F(PaletteTest, AClickBesideItDoesNothing) {
  screen_.take(ui::Click{.row = 5, .col = 4});
  type("/the");
  const std::string before = shown();
  for (const int row : {0, 21, 22, 23}) screen_.take(ui::Click{.row = row, .col = 4});
  EXPECT_EQ(shown(), before);
  screen_.live_frame(ui::Rows{24}, ui::Cols{80});
  screen_.take(ui::Click{.row = row_of(before, "/theme"), .col = 4});
  EXPECT_EQ(shown(), before) << "a terminal's scrollback has its own rows";
}

TEST_F(PaletteTest, APathIsNoCommand) {
  type("/etc/hosts");
  EXPECT_THAT(shown(), Not(HasSubstr("Enter choose")));
}

}  // namespace
}  // namespace confab::app
