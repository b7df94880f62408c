// SPDX-License-Identifier: MIT
#include "app/screen/message_actions.h"

#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

class MessageActionsTest : public ScreenFixture {
 protected:
  // Two questions and their answers, the second with code and a link.
  void talk() {
    submit("one");
    answer("First *answer*.");
    submit("two");
    answer("See:\n\n```py\nx = 1\n```\n\n[there](http://a.b)\n");
    text();
  }
  void talk_of_four() {
    for (const char* question : {"one", "two", "three", "four"}) {
      submit(question);
      answer(fmt::format("Answer to {}.", question));
    }
  }
};

TEST_F(MessageActionsTest, TabGoesToTheLastMessageAndEscapeBack) {
  talk();
  press(Code::tab);
  EXPECT_THAT(text(20), HasSubstr(" ▌See:\n"));
  EXPECT_THAT(text(20), HasSubstr("↑↓ messages"));
  press("x");
  press(Code::escape);
  EXPECT_THAT(text(20), Not(HasSubstr("▌")));
  type("x");
  EXPECT_THAT(text(20), HasSubstr("› x\n"));
}

TEST_F(MessageActionsTest, TabCompletesWhereSomethingIsWritten) {
  talk();
  type("/he");
  screen_.take(ui::Key{.code = Code::tab, .bytes = "\t"});
  EXPECT_THAT(text(20), HasSubstr("› /help"));
}

TEST_F(MessageActionsTest, WhatAKeyDidIsToldWithoutTheEndInView) {
  talk();
  press("Tab");
  press("g");
  press("y");
  EXPECT_THAT(text(6), HasSubstr("Copied the message ("));
  press("j");
  EXPECT_THAT(text(6), Not(HasSubstr("Copied")));
  EXPECT_THAT(text(40), Not(HasSubstr("Copied")));
  press(">");
  EXPECT_THAT(text(6), HasSubstr("this is the last branch here"));
  press("?");
  EXPECT_THAT(text(40), HasSubstr("back to the input"));
}

TEST_F(MessageActionsTest, CopiesTheExactSource) {
  talk();
  press("Ctrl+Up");
  press("y");
  press("Right");
  press("y");
  EXPECT_THAT(text(20), HasSubstr("Copied the code block ("));
  press("Tab");
  EXPECT_THAT(text(20), HasSubstr("y copy · link http://a.b"));
  press("c");
  press("Up");
  press("Up");
  press("y");
  EXPECT_THAT(host_.copied, ElementsAre("See:\n\n```py\nx = 1\n```\n\n[there](http://a.b)\n",
                                        "x = 1\n", "http://a.b", "First *answer*."));
}

TEST_F(MessageActionsTest, SavesACodeBlockUnderANameThatIsAskedFor) {
  talk();
  press(Code::tab);
  press("Right");
  press("s");
  EXPECT_THAT(text(20), HasSubstr("Save to: code.py"));
  press("Ctrl+U");
  const std::string path = (home_ / "x.py").string();
  type(path);
  press("Enter");
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "x = 1\n");
  press("s");
  press("Ctrl+U");
  type(path);
  press("Enter");
  EXPECT_THAT(text(30, 200), HasSubstr("x.py exists. Replace it? (y/n)"));
  press("n");
  write_file(path, "");
  press("s");
  press("Ctrl+U");
  type(path);
  press("Enter");
  press("y");
  EXPECT_EQ(read_file(path), "x = 1\n");
}

TEST_F(MessageActionsTest, FoldsAndShowsTheSource) {
  talk();
  press(Code::tab);
  press("Space");
  EXPECT_THAT(text(20), HasSubstr("… 6 more lines"));
  press("Enter");
  press("r");
  EXPECT_THAT(text(20), HasSubstr("```py"));
}

TEST_F(MessageActionsTest, AnEditedQuestionIsAskedInstead) {
  talk();
  press(Code::tab);
  press("Up");
  press("Up");
  press("e");
  EXPECT_THAT(text(20), HasSubstr("Enter ask this instead"));
  type("!");
  press(Code::enter);
  ASSERT_EQ(model().requests.size(), 3u);
  ASSERT_EQ(model().requests[2].turns.size(), 1u);
  EXPECT_EQ(model().requests[2].turns[0].message.content, "one!");
  answer("Other.");
  EXPECT_THAT(text(20), HasSubstr("‹ 2/2 ›"));
  EXPECT_THAT(text(20), Not(HasSubstr("First")));
}

TEST_F(MessageActionsTest, AnotherAnswerIsABranchToHopBetween) {
  talk();
  press(Code::tab);
  press("R");
  EXPECT_EQ(model().requests.size(), 3u);
  answer("Second try.");
  EXPECT_THAT(text(20), HasSubstr("‹ 2/2 ›\n  Second try."));
  press(Code::tab);
  press("<");
  EXPECT_THAT(text(20), HasSubstr("‹ 1/2 ›\n ▌See:")) << "and keeps the focus";
  press("[");
  EXPECT_THAT(text(20), HasSubstr("this is the first branch here"));
}

TEST_F(MessageActionsTest, ACopyEndsAtTheMessage) {
  talk();
  press(Code::tab);
  press("Up");
  press("Up");
  press("f");
  EXPECT_THAT(text(20, 80), HasSubstr("(fork)"));
  EXPECT_THAT(text(20, 80), HasSubstr("First answer."));
  EXPECT_THAT(text(20, 80), Not(HasSubstr("See:")));
  EXPECT_EQ(backend_.store->list().size(), 2u);
}

TEST_F(MessageActionsTest, SearchingMarksWhatIsTyped) {
  talk();
  press(Code::tab);
  press("/");
  type("answ");
  EXPECT_THAT(text(20), HasSubstr("Search: answ"));
  const ui::Frame frame = screen_.frame(ui::Rows{20}, ui::Cols{60});
  EXPECT_EQ(frame.at({ui::Rows{2}, ui::Cols{8}}).style.role, ui::Role::match_current);
  press("Enter");
  press("n");
  press(Code::escape);
  EXPECT_EQ(screen_.frame(ui::Rows{20}, ui::Cols{60}).at({ui::Rows{2}, ui::Cols{8}}).style.role,
            ui::Role::emphasis);
}

TEST_F(MessageActionsTest, TheRuleCountsWhatASearchHasFound) {
  talk();
  press("Tab");
  press("/");
  type("e");
  EXPECT_THAT(text(20), HasSubstr("6 of 6 matches ─"));
  press("Enter");
  press("n");
  EXPECT_THAT(text(20), HasSubstr("1 of 6 matches, wrapped to the top ─"));
  press("N");
  EXPECT_THAT(text(20), HasSubstr("6 of 6 matches, wrapped to the bottom ─"));
  press("N");
  EXPECT_THAT(text(20), HasSubstr("5 of 6 matches ─"));
  press("/");
  type("zebra");
  EXPECT_THAT(text(20), HasSubstr("No matches ─"));
  press(Code::escape);
  EXPECT_THAT(text(20), Not(HasSubstr("No matches")));
}

TEST_F(MessageActionsTest, AnotherAnswerKeepsThePlace) {
  talk_of_four();
  press("Tab");
  press("Up");
  press("Up");
  press("Up");
  const int before = row_of(text(), "three");
  ASSERT_GE(before, 0);
  press("R");
  EXPECT_EQ(row_of(text(), "three"), before);
  EXPECT_THAT(text(), Not(HasSubstr("four")));
  say(engine::TextDelta{"New.", 1, {1}});
  EXPECT_EQ(row_of(text(), "three"), before);
  EXPECT_EQ(row_of(text(), "New."), before + 2);
}

TEST_F(MessageActionsTest, AnEditedQuestionKeepsThePlace) {
  talk_of_four();
  press("Tab");
  press("Up");
  press("Up");
  const int before = row_of(text(), "three");
  ASSERT_GE(before, 0);
  press("e");
  EXPECT_EQ(row_of(text(), "three"), before);
  submit(" now");
  EXPECT_EQ(row_of(text(), "‹ 2/2 ›"), before);
  EXPECT_EQ(row_of(text(), "three now"), before + 1);
}

TEST_F(MessageActionsTest, GoingOnKeepsThePlace) {
  submit("one");
  say(engine::TextDelta{"a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng", 1, {1}});
  control('c');
  say(finished({1}, engine::FinishReason::cancelled));
  press("Tab");
  press("k");
  press("k");
  press("k");
  const int before = row_of(text(), "e\n");
  ASSERT_GE(before, 0) << text();
  press("C");
  EXPECT_EQ(model().requests.size(), 2u);
  text();
  say(engine::TextDelta{"a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng, and on", 1, {1}});
  EXPECT_EQ(row_of(text(), "e\n"), before) << text();
}

TEST_F(MessageActionsTest, WhatNeedsTheModelWaitsForTheAnswer) {
  talk();
  submit("three");
  press("Ctrl+Up");
  press("Up");
  press("R");
  EXPECT_EQ(model().requests.size(), 3u);
  EXPECT_THAT(text(20, 80), HasSubstr("an answer is being written"));
}

TEST_F(MessageActionsTest, WithoutMessagesThereIsNothingToGoTo) {
  press(Code::tab);
  EXPECT_THAT(text(), HasSubstr("The conversation is still empty."));
}

TEST_F(MessageActionsTest, EveryKeyIsInItsTableOnce) {
  std::vector<std::string> seen;
  for (const FocusKey& binding : focus_keys()) {
    std::istringstream keys{std::string(binding.keys)};
    for (std::string key; keys >> key;) {
      EXPECT_TRUE(ui::key_named(key)) << key;
      EXPECT_THAT(seen, Not(testing::Contains(key)));
      seen.push_back(key);
    }
  }
  EXPECT_GT(seen.size(), 20u);
}

}  // namespace
}  // namespace confab::app
