// SPDX-License-Identifier: MIT
#include "app/commands/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pump.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/app/hub_home.h"

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

class PullCommandsTest : public CommandFixture {
 protected:
  PullCommandsTest() {
    context_.paths = &at_.paths;
    at_.paths.config_file = at_.home / "config.toml";
  }
  void await_end() {
    while (pull_fd(context_.pulling) >= 0) {
      wait_readable({pull_fd(context_.pulling)}, std::chrono::seconds(60));
      take_pull(context_);
    }
  }

  HubHome at_;
};

TEST_F(PullCommandsTest, TheChatGoesOnAndIsToldTheEnd) {
  at_.hub.bytes_per_ms = 500;
  run("/pull org/name");
  EXPECT_THAT(last_notice(), HasSubstr("Downloading org/name; the chat goes on."));
  say("Meanwhile?");
  EXPECT_EQ(shown().back(), "Answer.");
  run("/pull");
  EXPECT_THAT(last_notice(), HasSubstr(" % of org/name: "));
  run("/pull org/other");
  EXPECT_THAT(last_error(), HasSubstr("org/name is being downloaded; /pull stop ends that"));
  EXPECT_THAT(pull_farewell(context_.pulling), HasSubstr("confab pull org/name goes on with it"));
  await_end();
  EXPECT_THAT(last_notice(), HasSubstr("Pulled m-Q4_K_M.gguf: 2.9 MiB"));
  EXPECT_THAT(last_notice(), HasSubstr("/model m-Q4_K_M.gguf switches to it."));
  EXPECT_EQ(pull_text(context_.pulling), "");
  EXPECT_EQ(pull_farewell(context_.pulling), "");
}

TEST_F(PullCommandsTest, IsStoppedAndTheSameGoesOn) {
  at_.hub.bytes_per_ms = 200;
  run("/pull stop");
  EXPECT_EQ(last_error(), "/pull stop: nothing is being downloaded");
  run("/pull org/name");
  run("/pull stop");
  await_end();
  EXPECT_EQ(last_notice(), "Stopped: what has come of org/name stays, and /pull org/name goes on.");
  at_.hub.bytes_per_ms = 0;
  run("/pull org/name");
  await_end();
  EXPECT_THAT(last_notice(), HasSubstr("/model m-Q4_K_M.gguf"));
}

TEST_F(PullCommandsTest, WhatIsWrongIsSaidAndWhatToDo) {
  run("/pull org/none");
  await_end();
  EXPECT_THAT(last_error(), HasSubstr("org/none"));
  EXPECT_THAT(last_error(), HasSubstr("/pull org/none tries again"));
  run("/pull llama3");
  EXPECT_THAT(last_error(), HasSubstr("MODEL must be ORG/NAME"));
  EXPECT_EQ(pull_fd(context_.pulling), -1);
}

TEST_F(PullCommandsTest, AloneItNamesWhatFits) {
  at_.home.file("suggested.toml", "[\"Tiny\"]\npull = \"org/tiny\"\ngb = 0.001\n");
  run("/pull");
  EXPECT_THAT(last_notice(), HasSubstr("/pull org/tiny"));
  EXPECT_THAT(last_notice(), HasSubstr("/pull ORG/NAME downloads any"));
}

}  // namespace
}  // namespace confab::app
