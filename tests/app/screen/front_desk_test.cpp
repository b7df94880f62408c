// SPDX-License-Identifier: MIT
// What somebody sees who has never seen it: the first screen, what keys do now, what is told and
// goes away, what waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = ui::Key::Code;

using FrontDeskTest = ScreenFixture;

TEST_F(FrontDeskTest, TheFirstScreenGivesWayToTheFirstQuestion) {
  EXPECT_THAT(text(24, 80), HasSubstr("confab · fake"));
  EXPECT_THAT(text(24, 80), HasSubstr("Enter send · / commands · @ files · Tab messages · ? keys"));
  submit("Hello?");
  EXPECT_THAT(text(24, 80), Not(HasSubstr("confab · fake")));
  answer("Hi.");
  submit("/new");
  EXPECT_THAT(text(24, 80), HasSubstr("confab · fake"));
}

TEST_F(FrontDeskTest, WhatAKeyDidGoesAwayAndLeavesTheConversationAlone) {
  submit("Hello?");
  answer("Hi.");
  host_.time += News::kShown;
  screen_.tick();
  const std::string before = text(24, 80);
  submit("/set temperature 0.5");
  EXPECT_THAT(text(24, 80), HasSubstr("temperature is now 0.5"));
  host_.time += News::kShown;
  ASSERT_TRUE(screen_.due());
  screen_.tick();
  EXPECT_TRUE(screen_.changed());
  EXPECT_THAT(text(24, 80), Not(HasSubstr("temperature is")));
  EXPECT_GT(*screen_.due(), host_.time + 1min);  // nothing of this is left to be done
  EXPECT_THAT(text(24, 80), HasSubstr("Hi."));
  EXPECT_EQ(text(24, 80), before);
}

TEST_F(FrontDeskTest, AnErrorStaysUntilItHasBeenRead) {
  submit("/set warmth 3");
  EXPECT_THAT(text(24, 80), HasSubstr("! no setting 'warmth'"));
  host_.time += 1h;
  screen_.tick();
  type("x");
  EXPECT_THAT(text(24, 80), HasSubstr("! no setting 'warmth'"));
  screen_.take_signal(SIGINT);  // clears the input
  press(Code::escape);
  EXPECT_THAT(text(24, 80), Not(HasSubstr("warmth")));
}

TEST_F(FrontDeskTest, AnEscapeThatReadsAnErrorIsNotTheFirstOfTwo) {
  submit("Hello?");
  answer("Hi.");
  submit("/nonsense");
  press(Code::escape);
  press(Code::escape);
  EXPECT_THAT(text(24, 80), Not(HasSubstr("ask this instead")));
  press(Code::escape);
  EXPECT_THAT(text(24, 80), HasSubstr("ask this instead"));
}

TEST_F(FrontDeskTest, HelpIsReadOverTheConversationAndLeft) {
  submit("Hello?");
  answer("Hi.");
  type("?");
  EXPECT_THAT(text(24, 80), HasSubstr("type to search"));
  type("/theme");
  EXPECT_THAT(text(24, 80), HasSubstr("1 of "));
  press(Code::escape);
  press(Code::escape);
  EXPECT_THAT(text(24, 80), HasSubstr("Hi."));
  EXPECT_THAT(text(24, 80), Not(HasSubstr("type to search")));
  type("a?");
  EXPECT_THAT(text(24, 80), HasSubstr("› a?"));
}

TEST_F(FrontDeskTest, WorkIsToldAtTheAnswersPlaceAndItsEnd) {
  submit("Hello?");
  EXPECT_THAT(text(24, 80), HasSubstr("● 0 s · Esc stop"));
  host_.time += 3s;
  ASSERT_TRUE(screen_.due() && *screen_.due() <= host_.time);
  screen_.tick();
  EXPECT_THAT(text(24, 80), HasSubstr("● 3 s · Esc stop"));
  say(engine::PrefillProgress{.n_done = 512, .n_prompt = 1024, .n_cached = 0});
  EXPECT_THAT(text(24, 80), HasSubstr("▰▰▰▰▰▰▱▱▱▱▱▱ reading 512/1,024"));
  say(engine::TextDelta{"Hi", 1, {1}});
  EXPECT_THAT(text(24, 80), HasSubstr("  Hi\n\n  ● 3 s · 1 token · Esc stop\n"));
  say(finished({1}));
  EXPECT_THAT(text(24, 80), Not(HasSubstr("Esc stop")));
  EXPECT_THAT(text(24, 80), HasSubstr("✓ "));
}

TEST_F(FrontDeskTest, WhatWaitsIsSeenAndCanBeEdited) {
  submit("One?");
  submit("Two?");
  submit("Three?");
  EXPECT_THAT(text(24, 80), HasSubstr("⋯ waiting: Two?\n  ⋯ waiting: Three?\n"));
  press(Code::up);
  EXPECT_THAT(text(24, 80), HasSubstr("› Three?"));
  EXPECT_THAT(text(24, 80), Not(HasSubstr("waiting: Three?")));
  submit(" Really?");
  answer("First.");
  EXPECT_EQ(model().requests.back().turns.back().message.content, "Two?");
  answer("Second.");
  EXPECT_EQ(model().requests.back().turns.back().message.content, "Three? Really?");
}

TEST_F(FrontDeskTest, CommandsThatNeedTheModelWaitTheirTurn) {
  submit("One?");
  submit("/set top_k 7");
  submit("Two?");
  EXPECT_THAT(text(24, 80), HasSubstr("⋯ waiting: /set top_k 7"));
  answer("First.");
  screen_.take_answers();
  EXPECT_EQ(model().requests.back().sampling.top_k, 7);
  EXPECT_EQ(model().requests.back().turns.back().message.content, "Two?");
  answer("Second.");
  submit("Three?");
  submit("/new");
  answer("Third.");
  EXPECT_THAT(text(24, 80), HasSubstr("confab · fake"));
}

ChatOptions incognito() {
  ChatOptions options;
  options.save = false;
  return options;
}

class IncognitoTest : public ScreenFixture {
 protected:
  IncognitoTest() : ScreenFixture(incognito()) {}
};

TEST_F(IncognitoTest, IsSeenFirstAndAlways) {
  EXPECT_THAT(text(24, 80), HasSubstr("Incognito: nothing is saved here"));
  EXPECT_THAT(text(24, 80), HasSubstr("\n incognito · fake "));
  submit("Hello?");
  answer("Hi.");
  EXPECT_THAT(text(24, 80), HasSubstr("\n incognito · fake "));
}

}  // namespace
}  // namespace confab::app
