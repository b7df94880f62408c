// SPDX-License-Identifier: MIT
// Leaving while not all that was said could be saved.
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/app/refusing_database.h"
#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kQuestion = "Leave and lose unsaved text? (y/n)";

class LeavingTest : protected RefusingDatabase, public ScreenFixture {
 protected:
  LeavingTest() {
    submit("What is a fox?");
    answer("A canine.");
    refuse_writes();
    submit("And a hen?");
    answer("A bird.");
  }
  // As narrow as a screen may well be.
  std::string text() { return ScreenFixture::text(24, 40); }
  std::size_t n_kept() { return backend_.store->messages(sessions::ConversationId{1}).size(); }
};

TEST_F(LeavingTest, NoStaysAndYesLeaves) {
  EXPECT_THAT(text(), HasSubstr("not saved"));
  const std::vector<std::function<void()>> ways{[this] { submit("/quit"); },
                                                [this] { control('D'); },
                                                [this] { control('C'), control('C'); }};
  for (const auto& leave : ways) {
    leave();
    EXPECT_THAT(text(), HasSubstr(kQuestion));
    EXPECT_FALSE(screen_.done());
    type("n");
    EXPECT_THAT(text(), Not(HasSubstr("Leave, and")));
    EXPECT_FALSE(screen_.done());
  }
  ways.front()();
  type("y");
  EXPECT_TRUE(screen_.done());
  EXPECT_EQ(screen_.status(), 0);
}

TEST_F(LeavingTest, WhatCanBeSavedMeanwhileIsNotAskedAbout) {
  submit("/quit");
  type("n");
  allow_all();
  submit("/quit");
  EXPECT_TRUE(screen_.done());
  EXPECT_EQ(n_kept(), 4U);
}

// What was said there is kept, and asked about when it would be lost.
TEST_F(LeavingTest, AnotherConversationLosesNothing) {
  for (const char* leave : {"/new", "/resume What is a fox?", "/new"}) {
    submit(leave);
    EXPECT_THAT(text(), Not(HasSubstr("Leave, and")));
    EXPECT_THAT(text(), Not(HasSubstr("hen")));
    submit("/quit");
    EXPECT_THAT(text(), HasSubstr(kQuestion));
    type("n");
  }
  allow_all();
  submit("/quit");
  EXPECT_TRUE(screen_.done());
  EXPECT_EQ(n_kept(), 4U);
}

class FarewellTest : public ScreenFixture {};

TEST_F(FarewellTest, TellsHowToComeBackToWhatWasSaid) {
  EXPECT_EQ(screen_.farewell(), "");
  submit("/help");
  press(ui::Key::Code::escape);
  EXPECT_EQ(screen_.farewell(), "");
  submit("What is a fox?");
  answer("A canine.");
  EXPECT_EQ(screen_.farewell(), "confab -C continues \"What is a fox?\"");
}

// The terminal may be gone: nobody is asked.
TEST_F(LeavingTest, ASignalLeavesAtOnce) {
  screen_.take_signal(SIGTERM);
  EXPECT_TRUE(screen_.done());
}

}  // namespace
}  // namespace confab::app
