// SPDX-License-Identifier: MIT
#include "app/commands/help.h"

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

TEST_F(HelpCommandsTest, TheManualHasTheKeysToo) {
  run("/help keys");
  const std::string keys = last_notice();
  EXPECT_THAT(keys, HasSubstr("Ctrl+R"));
  run("/manual");
  EXPECT_EQ(last_notice(), keys);
  EXPECT_THAT(console_.notices[1], HasSubstr("/manual"));
}

}  // namespace
}  // namespace confab::app
