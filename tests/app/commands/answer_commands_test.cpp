// SPDX-License-Identifier: MIT
#include "app/commands/answer_commands.h"

#include <gmock/gmock.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

class AnswerCommandsTest : public CommandFixture {
 protected:
  void run(const std::string& line) { run_command(context_, line); }
  void answer(const std::string& question, const std::string& text) {
    chat_.send(question);
    chat_.take(engine::TextDelta{text, 1});
    chat_.take(finished({1}));
  }
  std::string last_notice() const {
    return console_.notices.empty() ? "" : console_.notices.back();
  }
  std::string last_error() const { return console_.errors.empty() ? "" : console_.errors.back(); }
};

TEST_F(AnswerCommandsTest, CopiesAnswersAndCodeBlocks) {
  answer("one", "First.");
  answer("two", "See\n\n```c\na;\n```\n\n```\nb\n```\n");
  run("/copy");
  run("/copy 2");
  run("/copy code");
  run("/copy code 1");
  EXPECT_EQ(console_.copied, (std::vector<std::string>{"See\n\n```c\na;\n```\n\n```\nb\n```\n",
                                                       "First.", "b\n", "a;\n"}));
  run("/copy 3");
  EXPECT_THAT(last_error(), HasSubstr("no such answer"));
  run("/copy code 3");
  EXPECT_THAT(last_error(), HasSubstr("has 2 code blocks"));
  run("/copy x");
  EXPECT_THAT(last_error(), HasSubstr("'x' is no number"));
}

TEST_F(AnswerCommandsTest, UndoTakesQuestionsBackAndKeepsThemAsABranch) {
  answer("one", "1.");
  answer("two", "2.");
  answer("three", "3.");
  run("/undo 2");
  ASSERT_EQ(chat_.messages().size(), 2u);
  EXPECT_EQ(store_.messages(*chat_.conversation()).size(), 2u);
  EXPECT_EQ(store_.tree(*chat_.conversation()).messages.size(), 6u);
  answer("four", "4.");
  EXPECT_EQ(store_.messages(*chat_.conversation()).back().content, "4.");
  run("/undo 9");
  EXPECT_TRUE(chat_.messages().empty());
  run("/undo");
  EXPECT_THAT(last_error(), HasSubstr("nothing has been said"));
}

TEST_F(AnswerCommandsTest, HistoryNumbersQuestionsAsEditTakesThem) {
  answer("one", "1.");
  answer("two", "2.");
  run("/history");
  EXPECT_THAT(last_notice(), testing::StartsWith("  2  one\n  1  two\n"));
  run("/edit 2");
  EXPECT_EQ(console_.edited, 0u);
  run("/edit");
  EXPECT_EQ(console_.edited, 2u);
  run("/edit 3");
  EXPECT_THAT(last_error(), HasSubstr("/history"));
}

TEST_F(AnswerCommandsTest, ReasoningIsSwitchedWhereTheTemplateCan) {
  run("/think off");
  EXPECT_THAT(last_error(), HasSubstr("does not reason"));
  model_.change_info().can_switch_thinking = true;
  run("/think off");
  answer("one", "1.");
  EXPECT_EQ(model_.requests.back().settings.thinking, false);
  run("/think");
  answer("two", "2.");
  EXPECT_EQ(model_.requests.back().settings.thinking, true);
  run("/nothink");
  EXPECT_EQ(chat_.thinking(), false);
  run("/think show");
  EXPECT_TRUE(console_.reasoning_open);
  run("/think maybe");
  EXPECT_THAT(last_error(), HasSubstr("on, off, show, hide or budget N"));
}

TEST_F(AnswerCommandsTest, TheBudgetOfReasoningHoldsUntilItIsLifted) {
  run("/think budget 500");
  EXPECT_THAT(last_error(), HasSubstr("fake: this model does not reason"));
  run("/think off");
  EXPECT_THAT(last_error(), HasSubstr("fake: this model does not reason"));
  model_.change_info().can_reason = true;
  run("/think budget");
  EXPECT_THAT(last_notice(), HasSubstr("no budget"));
  run("/think budget  1500");
  EXPECT_THAT(last_notice(), HasSubstr("ends after 1,500 tokens"));
  answer("one", "1.");
  run("/new");
  answer("two", "2.");
  EXPECT_EQ(model_.requests.back().reasoning_budget, 1500);
  run("/think budget off");
  answer("three", "3.");
  EXPECT_EQ(model_.requests.back().reasoning_budget, -1);
  for (const char* bad : {"-1", "many", "5x", "99999999999"}) {
    run(std::string("/think budget ") + bad);
    EXPECT_THAT(last_error(), HasSubstr("is no number from 0 on")) << bad;
  }
  run("/think budgets");
  EXPECT_THAT(last_error(), HasSubstr("'budgets': /think on"));
}

TEST_F(AnswerCommandsTest, ABudgetOfNothingSwitchesReasoningOffWhereTheTemplateCan) {
  model_.change_info().can_reason = true;
  run("/think off");
  EXPECT_THAT(last_error(), HasSubstr("/think budget 0 cuts it off"));
  run("/think budget 0");
  EXPECT_THAT(last_notice(), HasSubstr("without reasoning"));
  answer("one", "1.");
  EXPECT_EQ(model_.requests.back().settings.thinking, std::nullopt);
  EXPECT_EQ(model_.requests.back().reasoning_budget, 0);
  model_.change_info().can_switch_thinking = true;
  answer("two", "2.");
  EXPECT_EQ(model_.requests.back().settings.thinking, false);
  chat_.prepare("");
  EXPECT_EQ(model_.preparations.back().settings, model_.requests.back().settings);
  run("/think");
  answer("three", "3.");
  EXPECT_EQ(model_.requests.back().settings.thinking, true);
  EXPECT_EQ(model_.requests.back().reasoning_budget, -1);
}

TEST_F(AnswerCommandsTest, CompactGoesOnWithTheSummary) {
  chat_.set_system("Be kind.");
  answer("one", "1.");
  const auto before = chat_.conversation();
  run("/compact");
  ASSERT_TRUE(chat_.generating());
  chat_.take(engine::TextDelta{"We counted.", 1});
  chat_.take(finished({1}));
  ASSERT_TRUE(context_.after_answer);
  context_.after_answer();
  EXPECT_TRUE(chat_.messages().empty());
  EXPECT_THAT(chat_.system(), HasSubstr("Be kind.\n\nSummary"));
  EXPECT_THAT(chat_.system(), HasSubstr("We counted."));
  answer("two", "2.");
  EXPECT_NE(chat_.conversation(), before);
  chat_.start_new();
  EXPECT_EQ(chat_.system(), "Be kind.");
}

TEST_F(AnswerCommandsTest, ForgetLeavesTheFirstQuestionsOut) {
  answer("one", "1.");
  answer("two", "2.");
  run("/forget");
  ASSERT_EQ(chat_.messages().size(), 2u);
  EXPECT_EQ(chat_.messages()[0].content, "two");
  EXPECT_EQ(store_.messages(*chat_.conversation()).size(), 2u);
  EXPECT_EQ(store_.tree(*chat_.conversation()).messages.size(), 6u);
}

}  // namespace
}  // namespace confab::app
