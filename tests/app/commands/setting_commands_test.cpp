// SPDX-License-Identifier: MIT
#include "app/commands/setting_commands.h"

#include <gmock/gmock.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

class SettingCommandsTest : public CommandFixture {
 protected:
  void run(const std::string& line) { run_command(context_, line); }
  std::string last_notice() const {
    return console_.notices.empty() ? "" : console_.notices.back();
  }
  std::string last_error() const { return console_.errors.empty() ? "" : console_.errors.back(); }
};

TEST_F(SettingCommandsTest, SamplingIsSetAsOllamaAndLlamaCppSpellIt) {
  run("/set temperature 0.5");
  run("/set parameter top_k 7");
  run("/set top-p 0.9");
  run("/set seed 42");
  run("/set num_predict 100");
  say("one");
  const engine::GenerateRequest& request = model_.requests.back();
  EXPECT_FLOAT_EQ(request.sampling.temperature, 0.5F);
  EXPECT_EQ(request.sampling.top_k, 7);
  EXPECT_FLOAT_EQ(request.sampling.top_p, 0.9F);
  EXPECT_EQ(request.sampling.seed, 42u);
  EXPECT_EQ(request.n_predict, 100);
  run("/set");
  EXPECT_THAT(last_notice(), HasSubstr("temperature        0.5\n"));
}

TEST_F(SettingCommandsTest, WhatIsNoSettingIsSaid) {
  for (const auto& [line, fault] : {std::pair{"/set warmth 3", "no setting 'warmth'"},
                                    {"/set top_p 3", "no number from 0 to 1"},
                                    {"/set top_p x", "'x' is no number"},
                                    {"/set temperature nan", "no number"},
                                    {"/set top_k", "/set top_k VALUE"},
                                    {"/set num_ctx 9", "confab -c N"}}) {
    run(line);
    EXPECT_THAT(last_error(), HasSubstr(fault)) << line;
  }
}

TEST_F(SettingCommandsTest, TheSystemPromptAppliesFromHereOn) {
  run("/system");
  EXPECT_THAT(last_notice(), HasSubstr("There is no system prompt"));
  say("one");
  run("/system Be brief.");
  say("two");
  const auto& turns = model_.requests.back().turns;
  ASSERT_EQ(turns.size(), 4u);
  EXPECT_EQ(turns[0].message.role, "system");
  EXPECT_EQ(turns[0].message.content, "Be brief.");
  EXPECT_EQ(turns[1].message.content, "one");
  run("/show system");
  EXPECT_EQ(last_notice(), "Be brief.");
}

TEST_F(SettingCommandsTest, ShowsThePromptAndTheTemplate) {
  model_.change_info().template_source = "{{ template }}";
  run("/show template");
  EXPECT_EQ(last_notice(), "{{ template }}");
  run("/show prompt");
  EXPECT_THAT(last_notice(), HasSubstr("no prompt yet"));
  say("one");
  run("/show prompt");
  EXPECT_EQ(last_notice(), "<user>one<assistant>Answer.");
  run("/show weather");
  EXPECT_THAT(last_error(), HasSubstr("'weather'"));
  run("/stats");
  EXPECT_THAT(last_notice(), HasSubstr("context "));
}

TEST_F(SettingCommandsTest, ModelsAndThemesNeedSomewhereToLook) {
  run("/model no-such-model-anywhere");
  EXPECT_THAT(last_error(), HasSubstr("no model 'no-such-model-anywhere'"));
  run("/theme dark");
  EXPECT_THAT(last_error(), HasSubstr("no themes here"));
  const Paths paths;
  context_.paths = &paths;
  run("/theme dark");
  EXPECT_EQ(console_.theme, "dark");
  run("/theme nonsense");
  EXPECT_THAT(last_error(), HasSubstr("no theme 'nonsense'"));
}

}  // namespace
}  // namespace confab::app
