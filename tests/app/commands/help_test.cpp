// SPDX-License-Identifier: MIT
#include "app/commands/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;

using HelpCommandsTest = CommandFixture;

TEST_F(HelpCommandsTest, HelpNamesEveryCommand) {
  run_command(context_, "/help");
  ASSERT_EQ(console_.notices.size(), 1U);
  for (const Command& command : commands())
    EXPECT_THAT(console_.notices[0], HasSubstr(std::string(command.name)));
}

TEST_F(HelpCommandsTest, ExitLeaves) {
  run_command(context_, "/exit");
  EXPECT_TRUE(console_.quitted);
}

TEST_F(HelpCommandsTest, CommandsStandUnderHeadingsWithTheirOtherNames) {
  run_command(context_, "/help");
  EXPECT_THAT(last_notice(), HasSubstr("\nConversations:\n  /new "));
  EXPECT_THAT(last_notice(), HasSubstr("leave, like Ctrl+D (also /quit, /bye)"));
  EXPECT_THAT(last_notice(), HasSubstr("Ctrl+R"));
  const std::string all = last_notice();
  run_command(context_, "/");
  EXPECT_EQ(last_notice(), all);
  run_command(context_, "/help keys");
  EXPECT_THAT(last_notice(), HasSubstr("Ctrl+R"));
  EXPECT_TRUE(all.ends_with(last_notice()));
}

}  // namespace
}  // namespace confab::app
