// SPDX-License-Identifier: MIT
#include "app/commands/compact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;

using CompactCommandsTest = CommandFixture;

TEST_F(CompactCommandsTest, CompactGoesOnWithTheSummary) {
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

TEST_F(CompactCommandsTest, ForgetLeavesTheFirstQuestionsOut) {
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
