// SPDX-License-Identifier: MIT
#include "app/commands/tree_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TreeCommandsTest : public CommandFixture {
 protected:
  void answer(const std::string& text) {
    chat_.take(engine::TextDelta{text, 1, {1}});
    chat_.take(finished({1}));
  }
  void run(const std::string& text) { run_command(context_, text); }
  std::vector<std::string> shown() const {
    std::vector<std::string> all;
    for (const sessions::Message& message : chat_.messages()) all.push_back(message.content);
    return all;
  }
};

TEST_F(TreeCommandsTest, WithoutAQuestionTheySaySo) {
  for (const char* command :
       {"/retry", "/edit x", "/continue", "/fork", "/branches", "/branch 1", "/edit"})
    run(command);
  EXPECT_EQ(console_.errors.size(), 7U);
  EXPECT_EQ(console_.n_answers_shown, 0);
  EXPECT_TRUE(model_.requests.empty());
}

TEST_F(TreeCommandsTest, RetryEditAndBranchWalkTheTree) {
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

TEST_F(TreeCommandsTest, ForkGoesOnInACopyOfTheSameAge) {
  chat_.send("One?");
  answer("First.");
  const auto original = *chat_.conversation();
  run("/fork");
  EXPECT_NE(chat_.conversation(), original);
  EXPECT_THAT(shown(), ElementsAre("One?", "First."));
  const auto copy = *store_.conversation(*chat_.conversation());
  EXPECT_EQ(copy.title, "One? (fork)");
  EXPECT_EQ(copy.created, store_.conversation(original)->created);
  EXPECT_EQ(store_.messages(copy.id)[1].tokens, store_.messages(original)[1].tokens);
  EXPECT_EQ(store_.messages(copy.id)[1].stats, store_.messages(original)[1].stats);
  const auto now = model_.requests.back().settings.now;
  chat_.send("Two?");
  EXPECT_EQ(model_.requests.back().settings.now, now);
  answer("Second.");
  EXPECT_EQ(store_.messages(original).size(), 2U);
  run("/fork another way");
  EXPECT_EQ(store_.conversation(*chat_.conversation())->title, "another way");
  EXPECT_THAT(console_.errors, IsEmpty());
}

TEST_F(TreeCommandsTest, WhileAnAnswerIsWrittenTheyWait) {
  chat_.send("One?");
  for (const char* command : {"/retry", "/edit x", "/continue", "/fork", "/branch 1"}) run(command);
  EXPECT_EQ(console_.errors.size(), 5U);
  EXPECT_EQ(model_.requests.size(), 1U);
}

}  // namespace
}  // namespace confab::app
