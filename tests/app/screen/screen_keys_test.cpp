// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

using ScreenKeysTest = ScreenFixture;

TEST_F(ScreenKeysTest, CtrlCStopsThenClearsThenAsksThenLeaves) {
  submit("one");
  submit("two");
  type("draft");
  control('c');
  EXPECT_EQ(model().n_cancelled, 1);
  say(finished({}, engine::FinishReason::cancelled));
  EXPECT_EQ(model().requests.size(), 1u) << "what waited is not asked";
  EXPECT_THAT(text(), HasSubstr("› two\n  draft")) << "and not lost";
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

TEST_F(ScreenKeysTest, ArrowsAndDeleteAreForAnswersWhileSeveralAreWritten) {
  submit("Why?");
  answer("One.");
  submit("/retry 3");
  EXPECT_THAT(text(), HasSubstr("answer 1 of 3"));
  press(ui::Key::Code::left);
  EXPECT_THAT(text(), HasSubstr("answer 3 of 3"));
  press(ui::Key::Code::right);
  press(ui::Key::Code::right);
  EXPECT_THAT(text(), HasSubstr("answer 2 of 3"));
  type("x");
  press(ui::Key::Code::left);
  EXPECT_THAT(text(), HasSubstr("answer 2 of 3")) << "the text has the keys";
  screen_.take(ui::Key{.code = ui::Key::Code::backspace, .bytes = "\x7f"});
  press(ui::Key::Code::del);
  EXPECT_THAT(model().cancelled, testing::ElementsAre(2U));
  EXPECT_THAT(text(), HasSubstr("answer 3 of 3"));
  press(ui::Key::Code::escape);
  EXPECT_THAT(model().cancelled, testing::ElementsAre(2U, 1U, 2U, 3U));
  for (std::size_t request = 1; request < 4; ++request)
    model().tell(request, finished({}, engine::FinishReason::cancelled));
  screen_.take_answers();
  EXPECT_THAT(text(20), HasSubstr("3 answers were written"));
  EXPECT_THAT(text(20), HasSubstr("‹ 4/4 ›"));
}

TEST_F(ScreenKeysTest, CtrlOOpensAPasteBeforeTheReasoning) {
  screen_.take(ui::Paste{.text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\neleven"});
  EXPECT_THAT(text(), HasSubstr("[paste #1: 11 lines"));
  screen_.take(ui::Key{.character = U'o', .ctrl = true, .bytes = "\x0f"});
  EXPECT_THAT(text(), HasSubstr("eleven"));
}

TEST_F(ScreenKeysTest, CtrlGEditsTheMessageInAnEditor) {
  type("draft");
  host_.edited = "\nmore";
  screen_.take(ui::Key{.character = U'g', .ctrl = true, .bytes = "\x07"});
  EXPECT_NE(text().find("more"), std::string::npos) << text();
  host_.edited.clear();
  screen_.take(ui::Key{.character = U'g', .ctrl = true, .bytes = "\x07"});
  EXPECT_NE(text().find("cannot be run"), std::string::npos) << text();
  EXPECT_NE(text().find("more"), std::string::npos) << "the text is as it was";
}

TEST_F(ScreenKeysTest, EscapeStopsTheAnswer) {
  submit("one");
  press(ui::Key::Code::escape);
  EXPECT_EQ(model().n_cancelled, 1);
}

TEST_F(ScreenKeysTest, SuspendAndRedrawAreTheHosts) {
  control('z');
  control('l');
  EXPECT_EQ(host_.n_suspended, 1);
  EXPECT_EQ(host_.n_redrawn, 1);
}

TEST_F(ScreenKeysTest, EscapeTwiceTakesTheLastQuestionBack) {
  press(ui::Key::Code::escape);
  press(ui::Key::Code::escape);
  EXPECT_THAT(text(), HasSubstr("nothing has been asked yet"));
  submit("one");
  answer("1.");
  press(ui::Key::Code::escape);
  host_.time += std::chrono::seconds(2);
  press(ui::Key::Code::escape);
  EXPECT_THAT(text(), Not(HasSubstr("Enter ask this instead")));
  press(ui::Key::Code::escape);
  EXPECT_THAT(text(), HasSubstr("Enter ask this instead"));
  control('c');
  EXPECT_THAT(text(), Not(HasSubstr("Enter ask this instead")));
  submit("two");
  EXPECT_EQ(model().requests.back().turns.size(), 3u);
}

TEST_F(ScreenKeysTest, TwoPressesLeaveOnlyWhereNothingIsBetweenThem) {
  control('c');
  submit("one");
  answer("1.");
  control('c');
  EXPECT_FALSE(screen_.done());
  screen_.take(ui::Paste{.text = "x"});
  control('c');
  control('c');
  EXPECT_FALSE(screen_.done());
  control('c');
  EXPECT_TRUE(screen_.done());
}

TEST_F(ScreenKeysTest, AltMShowsAnswersAsTheyWereWritten) {
  submit("one");
  answer("**a**");
  press("Alt+M");
  EXPECT_THAT(text(), HasSubstr("**a**"));
}

}  // namespace
}  // namespace confab::app
