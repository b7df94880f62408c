// SPDX-License-Identifier: MIT
#include "app/chat_screen.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/app/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChatScreenTest : public ScreenFixture {};

TEST_F(ChatScreenTest, AQuestionIsAskedAndItsAnswerShown) {
  submit("What is *this*?");
  ASSERT_EQ(model().requests.size(), 1u);
  EXPECT_EQ(model().requests[0].turns.back().message.content, "What is *this*?");
  answer("It is **bold**.");
  EXPECT_THAT(text(), HasSubstr("› What is *this*?\n"));
  EXPECT_THAT(text(), HasSubstr("It is bold.\n"));
}

TEST_F(ChatScreenTest, QuestionsTypedMeanwhileWaitTheirTurn) {
  submit("one");
  submit("two");
  EXPECT_EQ(model().requests.size(), 1u);
  EXPECT_THAT(text(), HasSubstr("1 waiting"));
  answer("1.");
  EXPECT_EQ(model().requests.size(), 2u);
  EXPECT_THAT(text(), Not(HasSubstr("waiting")));
}

TEST_F(ChatScreenTest, CtrlCStopsThenClearsThenAsksThenLeaves) {
  submit("one");
  submit("two");
  type("draft");
  control('c');
  EXPECT_EQ(model().n_cancelled, 1);
  say(finished({}, engine::FinishReason::cancelled));
  EXPECT_EQ(model().requests.size(), 1u) << "what waited is not asked";
  EXPECT_THAT(text(), HasSubstr("draft"));
  control('c');
  EXPECT_THAT(text(), Not(HasSubstr("draft")));
  EXPECT_FALSE(screen_.done());
  control('c');
  EXPECT_FALSE(screen_.done());
  host_.time += std::chrono::seconds(3);
  control('c');
  EXPECT_FALSE(screen_.done()) << "too late to be the second of two";
  control('c');
  EXPECT_TRUE(screen_.done());
  EXPECT_EQ(screen_.status(), 0);
}

TEST_F(ChatScreenTest, EscapeStopsTheAnswer) {
  submit("one");
  press(ui::Key::Code::escape);
  EXPECT_EQ(model().n_cancelled, 1);
}

TEST_F(ChatScreenTest, SignalsAndAHangUpLeave) {
  screen_.take_signal(SIGTERM);
  EXPECT_TRUE(screen_.done());
  EXPECT_EQ(screen_.status(), 128 + SIGTERM);
  screen_.take(ui::HangUp{});
  EXPECT_EQ(screen_.status(), 128 + SIGHUP);
}

TEST_F(ChatScreenTest, AnUnknownCommandIsNotSentToTheModel) {
  submit("/hepl");
  EXPECT_TRUE(model().requests.empty());
  EXPECT_THAT(text(), HasSubstr("did you mean /help?"));
}

TEST_F(ChatScreenTest, NothingChangesWithoutACause) {
  text();
  EXPECT_FALSE(screen_.changed());
  screen_.take_answers();
  EXPECT_FALSE(screen_.changed());
  type("x");
  EXPECT_TRUE(screen_.changed());
}

TEST_F(ChatScreenTest, SuspendAndRedrawAreTheHosts) {
  control('z');
  control('l');
  EXPECT_EQ(host_.n_suspended, 1);
  EXPECT_EQ(host_.n_redrawn, 1);
}

}  // namespace
}  // namespace confab::app
