// SPDX-License-Identifier: MIT
#include "app/commands/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;

using CopyCommandTest = CommandFixture;

TEST_F(CopyCommandTest, CopiesAnswersAndCodeBlocks) {
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
  EXPECT_THAT(last_error(), HasSubstr("'x' is not a whole number"));
}

}  // namespace
}  // namespace confab::app
