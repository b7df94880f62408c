// SPDX-License-Identifier: MIT
#include "app/screen/chat_screen.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChatScreenTest : public ScreenFixture {
 protected:
  // What the scrollback gets.
  std::string printed() {
    std::string text;
    for (const ui::Line& line : screen_.take_settled(ui::Rows{10}, ui::Cols{40}))
      for (const ui::Span& span : line.spans) text += span.text;
    return text;
  }
  // While an answer is written.
  void look_back() {
    std::string lines;
    for (int i = 0; i < 10; ++i) lines += "line\n\n";
    say(engine::TextDelta{lines, 1, {1}});
    screen_.frame(ui::Rows{10}, ui::Cols{40});
    press(ui::Key::Code::page_up);
    ASSERT_TRUE(screen_.needs_screen());
  }
};

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

TEST_F(ChatScreenTest, TheSizeOfALongDraftIsToldWhenTheModelHasCountedIt) {
  screen_.take(ui::Paste{std::string(3000, 'x')});
  EXPECT_EQ(text().find("tokens"), std::string::npos);
  ASSERT_FALSE(model().counts.empty());
  say(engine::Counted{model().counts.back().number, 777});
  EXPECT_NE(text().find("777 tokens"), std::string::npos) << text();
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

TEST_F(ChatScreenTest, ReasoningIsOneLiveLineThatOpens) {
  submit("why");
  say(engine::ReasoningDelta{"let me see", 1, {1}});
  host_.time += std::chrono::seconds(4);
  say(engine::ReasoningDelta{" more", 40, {2}});
  EXPECT_THAT(text(), HasSubstr("▸ Thinking: 40 tokens, 4 s\n"));
  EXPECT_THAT(text(), Not(HasSubstr("let me see")));
  host_.time += std::chrono::seconds(1);
  say(engine::TextDelta{"So.", 41, {3}});
  EXPECT_THAT(text(), HasSubstr("▸ Thought for 5 s, 40 tokens\n"));
  control('o');
  EXPECT_THAT(text(), HasSubstr("▾ Thought for 5 s, 40 tokens\n  let me see more\n"));
  say(finished({1, 2, 3}));
  control('o');
  EXPECT_THAT(text(), Not(HasSubstr("let me see")));
}

TEST_F(ChatScreenTest, ABareExitIsAskedAboutOnce) {
  submit("exit");
  EXPECT_TRUE(model().requests.empty());
  EXPECT_THAT(text(), HasSubstr("To leave: /exit or Ctrl+D"));
  submit("exit");
  EXPECT_EQ(model().requests.size(), 1u);
}

TEST_F(ChatScreenTest, WhoLooksElsewhereIsToldOfALongAnswer) {
  submit("one");
  answer("1.");
  screen_.take(ui::Focus{.in = false});
  submit("two");
  answer("2.");
  EXPECT_TRUE(host_.notifications.empty());
  submit("three");
  host_.time += std::chrono::seconds(20);
  answer("Three.");
  EXPECT_EQ(host_.notifications, std::vector<std::string>{"confab: Three."});
  screen_.take(ui::Focus{.in = true});
  submit("four");
  host_.time += std::chrono::seconds(20);
  answer("4.");
  EXPECT_EQ(host_.notifications.size(), 1u);
}

TEST_F(ChatScreenTest, WhoLooksElsewhereIsToldOfAFailureToo) {
  screen_.take(ui::Focus{.in = false});
  submit("one");
  host_.time += std::chrono::seconds(20);
  say(engine::Failed{"out of memory"});
  EXPECT_EQ(host_.notifications, std::vector<std::string>{"confab: out of memory"});
}

TEST_F(ChatScreenTest, WhatIsToldIsToldInView) {
  submit("one");
  look_back();
  type("/stats");
  EXPECT_TRUE(screen_.needs_screen());
  press(ui::Key::Code::enter);
  EXPECT_THAT(text(), HasSubstr("no answer yet"));
  press(ui::Key::Code::escape);
  press(ui::Key::Code::page_up);
  answer("More.");
  EXPECT_TRUE(screen_.needs_screen()) << "an answer that ends takes nobody away";
  control('c');
  EXPECT_THAT(text(), HasSubstr("Press Ctrl+C again"));
}

TEST_F(ChatScreenTest, WhatACommandWantedOfAnAnswerThatFailedIsForgotten) {
  submit("one");
  answer("1.");
  submit("/compact");
  say(engine::Failed{"out of memory"});
  EXPECT_THAT(text(), HasSubstr("out of memory"));
  submit("two");
  answer("This is no summary.");
  EXPECT_THAT(text(), Not(HasSubstr("knows this summary")));
  EXPECT_THAT(text(), HasSubstr("This is no summary."));
}

TEST_F(ChatScreenTest, AQuestionThatDoesNotFitGoesBackIntoTheInput) {
  submit("one");
  answer("1.");
  submit("Too long?");
  type("and");
  say(engine::Failed{"prompt: too long", true});
  EXPECT_THAT(text(), HasSubstr("/compact"));
  press(ui::Key::Code::enter);
  ASSERT_EQ(model().requests.size(), 3U);
  ASSERT_EQ(model().requests.back().turns.size(), 3U) << "it is not in the conversation any more";
  EXPECT_EQ(model().requests.back().turns.back().message.content, "Too long?\n\nand");
}

TEST_F(ChatScreenTest, AScrollbackGetsEachLineOnce) {
  submit("one");
  say(engine::TextDelta{"First.\n\nSec", 1, {1}});
  EXPECT_THAT(printed(), HasSubstr("› one"));
  EXPECT_THAT(screen_.live_frame(ui::Rows{10}, ui::Cols{40}).to_text(),
              HasSubstr("  First.\n\n  Sec"));
  say(finished({1}));
  EXPECT_THAT(printed(), HasSubstr("First.    Sec"));
  EXPECT_EQ(printed(), "");
  EXPECT_FALSE(screen_.needs_screen());
  submit("/theme");
  EXPECT_TRUE(screen_.needs_screen());
  press(ui::Key::Code::escape);
  submit("/retry");
  EXPECT_EQ(printed(), "› one") << "what was said before is there already";
}

TEST_F(ChatScreenTest, WhatIsSaidWhileSomebodyLooksBackIsPrintedWhenTheConversationEnds) {
  printed();
  submit("one");
  look_back();
  answer("the end");
  submit("/new");
  EXPECT_FALSE(screen_.needs_screen());
  EXPECT_THAT(printed(), HasSubstr("the end"));
  EXPECT_EQ(printed(), "");
}

TEST_F(ChatScreenTest, AnAnswerThatGrowsWhileSomebodyLooksBackIsPrintedWhole) {
  submit("one");
  answer("1.");
  printed();
  submit("/retry");
  look_back();
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "w" + std::to_string(i) + "\n\n";
  answer(lines);
  submit("two");
  EXPECT_THAT(printed(), AllOf(HasSubstr("› one"), HasSubstr("w0  "), HasSubstr("w99")));
}

TEST_F(ChatScreenTest, OfAConversationThatIsLeftAtOnceNothingIsPrinted) {
  submit("one");
  answer("first");
  printed();
  submit("/retry");
  answer("second");
  submit("/branch 1");
  submit("/branch 2");
  EXPECT_THAT(printed(), AllOf(HasSubstr("second"), Not(HasSubstr("first"))));
}

TEST_F(ChatScreenTest, LookingBackNeedsAScreenUntilTheEndIsThereAgain) {
  submit("one");
  say(engine::ReasoningDelta{"Hm.", 1, {1}});
  say(engine::TextDelta{"1.\n\n2.\n\n3.\n\n4.\n\n5.\n\n6.", 1, {1}});
  say(finished({1}));
  screen_.frame(ui::Rows{10}, ui::Cols{40});
  press(ui::Key::Code::page_up);
  EXPECT_TRUE(screen_.needs_screen());
  press(ui::Key::Code::page_down);
  press(ui::Key::Code::page_down);
  EXPECT_FALSE(screen_.needs_screen());
  control('o');
  EXPECT_TRUE(screen_.needs_screen()) << "the reasoning is unfolded above what is drawn";
  submit("two");
  EXPECT_FALSE(screen_.needs_screen());
}

TEST_F(ChatScreenTest, WhatPastedTextNamesIsAttachedOnlyByAYes) {
  const std::string secret = home_.file("secret.txt", "s"), mine = home_.file("mine.txt", "m");
  const auto ask = [&](std::string_view key) {
    type("@" + mine + " ");
    screen_.take(ui::Paste{.text = "and @" + secret});
    press(ui::Key::Code::enter);
    EXPECT_THAT(text(12, 200), HasSubstr("secret.txt. Attach it? (y/n)"));
    type(key);
  };
  ask("n");
  EXPECT_THAT(model().requests.back().turns.back().message.content, Not(HasSubstr("secret.txt:")));
  EXPECT_THAT(model().requests.back().turns.back().message.content, HasSubstr("mine.txt:"));
  answer("One.");
  ask("y");
  EXPECT_THAT(model().requests.back().turns.back().message.content, HasSubstr("secret.txt:"));
}

// What is typed meanwhile is the next question, and waits for the one that is asked about.
TEST_F(ChatScreenTest, APastedQuestionThatWaitsIsAskedAboutInItsTurn) {
  const std::string secret = home_.file("secret.txt", "s");
  submit("one");
  screen_.take(ui::Paste{.text = "and @" + secret});
  press(ui::Key::Code::enter);
  EXPECT_THAT(text(12, 200), Not(HasSubstr("(y/n)")));
  type("yes ");
  answer("1.");
  EXPECT_THAT(text(12, 200), HasSubstr("(y/n)"));
  type("yes");
  press(ui::Key::Code::enter);
  ASSERT_EQ(model().requests.size(), 1U) << "the one before it is not decided";
  wait(std::chrono::seconds(1));
  type("n");
  ASSERT_EQ(model().requests.size(), 2U);
  EXPECT_THAT(model().requests[1].turns.back().message.content, HasSubstr("and @"));
  EXPECT_THAT(model().requests[1].turns.back().message.content, Not(HasSubstr("secret.txt:")));
  answer("2.");
  ASSERT_EQ(model().requests.size(), 3U);
  EXPECT_EQ(model().requests[2].turns.back().message.content, "yes yes");
}

TEST_F(ChatScreenTest, AFileGoesWithTheQuestionThatWasWrittenAfterIt) {
  const std::string file = home_.file("notes.txt", "PLUM");
  submit("one");
  submit("two");
  submit("/read " + file);
  submit("three");
  answer("1.");
  EXPECT_THAT(model().requests.back().turns.back().message.content, Not(HasSubstr("PLUM")));
  answer("2.");
  EXPECT_THAT(model().requests.back().turns.back().message.content, HasSubstr("PLUM"));
  submit("/read " + file);
  submit("four");
  press(ui::Key::Code::up);
  EXPECT_THAT(text(12, 100), HasSubstr("four")) << "taken back, and its file with it";
  answer("3.");
  press(ui::Key::Code::enter);
  EXPECT_THAT(model().requests.back().turns.back().message.content, HasSubstr("PLUM"));
}

TEST_F(ChatScreenTest, AQuestionWhoseFileCannotBeReadComesBack) {
  submit("Look at @" + home_.file("pic.png", "\x89PNG\r\n\x1a\n") + " please");
  EXPECT_TRUE(model().requests.empty());
  EXPECT_THAT(text(12, 200), HasSubstr("pic.png please")) << "in the input";
  control('u');
  submit("Look at @none.txt");
  EXPECT_TRUE(model().requests.empty());
  EXPECT_THAT(text(12, 200), HasSubstr("none.txt: no such file"));
}

TEST_F(ChatScreenTest, AChangeThatIsRefusedStaysOne) {
  Console& console = screen_;
  submit("one");
  answer("1.");
  submit("two");
  console.edit_question(0);
  submit("!");
  EXPECT_EQ(model().requests.size(), 2U) << "an answer is being written";
  EXPECT_THAT(text(12, 100), HasSubstr("one!"));
  EXPECT_THAT(text(12, 100), HasSubstr("ask this instead"));
  answer("2.");
  submit("!");
  EXPECT_EQ(model().requests.back().turns.back().message.content, "one!!");
  EXPECT_THAT(text(12, 100), Not(HasSubstr("ask this instead")));
  say(engine::Failed{"too long", true});
  EXPECT_THAT(text(12, 100), HasSubstr("ask this instead")) << "and not a new question";
  press(ui::Key::Code::escape);  // reads what was told
  press(ui::Key::Code::escape);
  EXPECT_THAT(text(12, 100), Not(HasSubstr("ask this instead")));
  EXPECT_THAT(text(12, 100), HasSubstr("one!!")) << "what was written stays";
}

TEST_F(ChatScreenTest, AFileThatIsDroppedIsMentioned) {
  const std::string file = home_.file("a.txt", "x");
  screen_.take(ui::Paste{.text = file});
  EXPECT_THAT(text(12, 200), HasSubstr("@" + file));
  control('u');
  type("/read ");
  screen_.take(ui::Paste{.text = file});
  EXPECT_THAT(text(12, 200), HasSubstr("/read " + file));
}

}  // namespace
}  // namespace confab::app
