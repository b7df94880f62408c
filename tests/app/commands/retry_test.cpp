// SPDX-License-Identifier: MIT
#include "app/commands/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using RetryCommandsTest = CommandFixture;

TEST_F(RetryCommandsTest, WithoutAQuestionTheySaySo) {
  for (const char* command :
       {"/retry", "/edit x", "/continue", "/fork", "/branches", "/branch 1", "/edit"})
    run(command);
  EXPECT_EQ(console_.errors.size(), 7U);
  EXPECT_EQ(console_.n_answers_shown, 0);
  EXPECT_TRUE(model_.requests.empty());
}

TEST_F(RetryCommandsTest, RetryEditAndBranchWalkTheTree) {
  chat_.send("One?");
  answer("First.");
  run("/branches");
  EXPECT_THAT(console_.notices.back(), HasSubstr("one branch"));
  run("/retry");
  EXPECT_EQ(console_.n_answers_shown, 1);
  EXPECT_EQ(model_.requests.back().turns.size(), 1U);
  answer("Second.");
  run("/edit Two?");
  EXPECT_EQ(model_.requests.back().turns[0].message.content, "Two?");
  answer("Third.");
  EXPECT_THAT(shown(), ElementsAre("Two?", "Third."));
  run("/branches");
  EXPECT_THAT(console_.notices.back(), HasSubstr("1   "));
  EXPECT_THAT(console_.notices.back(), HasSubstr("assistant: First."));
  EXPECT_THAT(console_.notices.back(), HasSubstr("3 *"));
  run("/branch 2");
  EXPECT_THAT(shown(), ElementsAre("One?", "Second."));
  run("/branch 4");
  EXPECT_THAT(console_.errors, ElementsAre(HasSubstr("from 1 to 3")));
  EXPECT_EQ(chat_.take_notice(), "");  // nobody else was here
}

TEST_F(RetryCommandsTest, ASettingOfOneAnswerIsNotThatOfTheNext) {
  answer("One?", "First.");
  const float usual = chat_.answer_options().sampling.temperature;
  run("/retry temperature 1.5");
  EXPECT_EQ(model_.requests.back().sampling.temperature, 1.5F);
  EXPECT_THAT(chat_.messages().back().sampler_json, HasSubstr("1.5"));
  answer("Second.");
  run("/retry");
  EXPECT_EQ(model_.requests.back().sampling.temperature, usual);
}

TEST_F(RetryCommandsTest, ANumberAsksForSoManyAnswers) {
  answer("One?", "First.");
  run("/retry 3 temp 1.5");
  EXPECT_EQ(last_error(), "");
  ASSERT_EQ(model_.requests.size(), 4U);
  EXPECT_EQ(model_.requests.back().sampling.temperature, 1.5F);
  EXPECT_EQ(chat_.n_answers(), 3U);
  EXPECT_EQ(console_.n_answers_shown, 1);
  for (std::size_t i = 0; i < 3; ++i) chat_.take(finished({1}), i);
  run("/branches");
  EXPECT_THAT(last_notice(), HasSubstr("4 "));
  EXPECT_EQ(chat_.options().n_answers, 1);
  for (const char* wrong : {"/retry 0", "/retry 9", "/retry 99999999999 temp 1"}) {
    run(wrong);
    EXPECT_THAT(last_error(), HasSubstr("2 to 8 answers")) << wrong;
  }
  run("/retry 2 temp 0");
  EXPECT_THAT(last_error(), HasSubstr("all 2 answers would be the same at temperature 0"));
  EXPECT_EQ(model_.requests.size(), 4U);
}

TEST_F(RetryCommandsTest, AWrongSettingAsksForNothing) {
  answer("One?", "First.");
  const std::size_t n = model_.requests.size();
  run("/retry temperature");
  EXPECT_THAT(last_error(), HasSubstr("/retry temperature VALUE"));
  run("/retry temperature hot");
  EXPECT_THAT(last_error(), HasSubstr("temperature must be a number"));
  run("/retry warmth 3");
  EXPECT_THAT(last_error(), HasSubstr("no setting 'warmth'"));
  EXPECT_EQ(model_.requests.size(), n);
}

TEST_F(RetryCommandsTest, WhileAnAnswerIsWrittenTheyWait) {
  chat_.send("One?");
  for (const char* command : {"/retry", "/edit x", "/continue", "/fork", "/branch 1"}) run(command);
  EXPECT_EQ(console_.errors.size(), 5U);
  EXPECT_EQ(model_.requests.size(), 1U);
}

TEST_F(RetryCommandsTest, UndoTakesQuestionsBackAndKeepsThemAsABranch) {
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
  EXPECT_THAT(last_error(), HasSubstr("the conversation is still empty"));
}

}  // namespace
}  // namespace confab::app
