// SPDX-License-Identifier: MIT
#include "app/commands/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ModelCommandTest = CommandFixture;

TEST_F(ModelCommandTest, AModelThatIsNotThereIsSaid) {
  run("/model no-such-model-anywhere");
  EXPECT_THAT(last_error(), HasSubstr("no model 'no-such-model-anywhere'"));
  run("/model");
  EXPECT_THAT(last_notice(), HasSubstr("Current model: fake"));
}

}  // namespace
}  // namespace confab::app
