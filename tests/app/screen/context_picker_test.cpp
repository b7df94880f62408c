// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using sessions::Reading;
using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

// The model counts a token for each message, and tells how full the context is.
class ContextPickerTest : public ScreenFixture {
 protected:
  ContextPickerTest() { model().change_info().n_ctx = 16; }
  void converse(int n, int n_used = 0) {
    for (int i = 1; i <= n; ++i) {
      submit("question " + std::to_string(i));
      say(engine::TextDelta{"answer " + std::to_string(i), 1, {1}});
      engine::Finished event = finished({1});
      event.n_ctx_used = i == n && n_used > 0 ? n_used : 2 * i;
      say(event);
    }
  }
  std::string shown() { return text(24, 80); }
  std::size_t n_read() {
    submit("last");
    return model().requests.back().turns.size();
  }
};

TEST_F(ContextPickerTest, QuestionsArePinnedDroppedAndRestoredInTheList) {
  converse(3);
  submit("/context");
  EXPECT_THAT(shown(), HasSubstr("Context 6/16 ›"));
  EXPECT_THAT(shown(), HasSubstr("  1 question 1"));
  EXPECT_THAT(shown(), HasSubstr("Ctrl+T pin · Ctrl+D drop · Ctrl+R restore · Esc close"));
  control('d');
  EXPECT_THAT(shown(), HasSubstr("Context 4/16 ›"));
  EXPECT_THAT(shown(), HasSubstr("left out"));
  press(Code::down);
  press(Code::down);
  control('t');
  EXPECT_THAT(shown(), HasSubstr("pinned"));
  press(Code::up);
  press(Code::up);
  control('r');
  EXPECT_THAT(shown(), HasSubstr("Context 6/16 ›"));
  EXPECT_THAT(shown(), Not(HasSubstr("left out")));
  press(Code::escape);
  EXPECT_THAT(shown(), Not(HasSubstr("Context 6/16 ›")));
  EXPECT_THAT(shown(), HasSubstr("pinned\n› question 2")) << "above the question";
  EXPECT_EQ(n_read(), 7u);
}

TEST_F(ContextPickerTest, ANarrowListKeepsItsColumns) {
  converse(2);
  submit("/context");
  EXPECT_THAT(text(24, 40), HasSubstr("›   1 question 1              1 ▰▰▰▰▰▰▰▰\n"));
  control('t');
  EXPECT_THAT(text(24, 40), HasSubstr("›   1 question 1       1 ▰▰▰▰▰▰▰▰ pinned\n"));
}

TEST_F(ContextPickerTest, AMessageIsFoundByItsWords) {
  converse(3);
  submit("/context");
  type("question 2");
  EXPECT_THAT(shown(), Not(HasSubstr("question 3 ")));
  control('d');
  press(Code::enter);
  EXPECT_EQ(n_read(), 5u);
}

TEST_F(ContextPickerTest, WhereMemoryBeginsIsALineInTheListAndInTheChat) {
  converse(5, 15);
  EXPECT_THAT(shown(), HasSubstr("── the model's memory begins here (2 questions left out; "
                                 "/context) ──\n› question 3"));
  EXPECT_THAT(shown(), HasSubstr("Memory now begins at"));
  EXPECT_THAT(shown(), HasSubstr(" 6/16 ctx"));
  submit("/context");
  EXPECT_THAT(shown(), HasSubstr("── the model's memory begins here ──"));
  press(Code::down);
  press(Code::down);
  press(Code::down);
  press(Code::down);
  control('t');  // on that line: nothing
  EXPECT_THAT(shown(), Not(HasSubstr("pinned")));
}

TEST_F(ContextPickerTest, WhatThereIsNoRoomForIsSaid) {
  converse(9, 15);
  submit("/context");
  for (int i = 0; i < 4; ++i) {
    control('t');
    press(Code::down);
    press(Code::down);
  }
  EXPECT_THAT(shown(), HasSubstr("no room for that"));
  press(Code::escape);
  EXPECT_THAT(shown(), HasSubstr("no room"));
}

}  // namespace
}  // namespace confab::app
