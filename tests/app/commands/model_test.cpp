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

TEST_F(ModelCommandTest, PullSaysWhatToTypeElsewhere) {
  run("/pull org/name:Q8_0");
  EXPECT_THAT(last_notice(), HasSubstr("confab pull org/name:Q8_0\n"));
  run("/pull");
  EXPECT_THAT(last_notice(), HasSubstr("confab pull --suggest"));
}

}  // namespace
}  // namespace confab::app
