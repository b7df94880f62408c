// SPDX-License-Identifier: MIT
#include "app/commands/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using SettingsCommandsTest = CommandFixture;

TEST_F(SettingsCommandsTest, SamplingIsSetAsOllamaAndLlamaCppSpellIt) {
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

TEST_F(SettingsCommandsTest, WhatIsSetIsRememberedButForTheSeed) {
  TempDir home;
  context_.remembered = Remembered(home / "state.toml");
  model_.change_info().can_switch_thinking = model_.change_info().can_reason = true;
  run("/set temp 0.25");
  run("/set top_k 7");
  run("/set seed 42");
  run("/nothink");
  EXPECT_THAT(read_file(home / "state.toml"), HasSubstr("temperature = 0.25"));
  EXPECT_THAT(read_file(home / "state.toml"), HasSubstr("top_k = 7"));
  EXPECT_THAT(read_file(home / "state.toml"), HasSubstr("thinking = false"));
  EXPECT_THAT(read_file(home / "state.toml"), Not(HasSubstr("seed")));
  run("/set temp default");
  EXPECT_THAT(read_file(home / "state.toml"), Not(HasSubstr("temperature")));
  EXPECT_THAT(last_notice(), HasSubstr("temp is now 0.8"));
  run("/set temp 1000");
  EXPECT_THAT(read_file(home / "state.toml"), Not(HasSubstr("temperature")));
}

TEST_F(SettingsCommandsTest, WhatIsNoSettingIsSaid) {
  for (const auto& [line, fault] :
       {std::pair{"/set warmth 3", "no setting 'warmth'"},
        {"/set top_p 3", "top_p must be a number from 0 to 1 (1: off), not 3"},
        {"/set top_p x", "not x"},
        {"/set temperature nan", "temperature must be a number"},
        {"/set top_k", "/set top_k VALUE"},
        {"/set num_ctx 9", "confab -c N"}}) {
    run(line);
    EXPECT_THAT(last_error(), HasSubstr(fault)) << line;
  }
}

TEST_F(SettingsCommandsTest, TheSystemPromptAppliesFromHereOn) {
  run("/system");
  EXPECT_THAT(last_notice(), HasSubstr("No system prompt"));
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

TEST_F(SettingsCommandsTest, TheSystemPromptCanBeRemoved) {
  run("/system Be brief.");
  run("/system none");
  EXPECT_EQ(chat_.system(), "");
  EXPECT_THAT(last_notice(), HasSubstr("System prompt removed"));
  chat_.start_new();
  EXPECT_EQ(chat_.system(), "");
}

TEST_F(SettingsCommandsTest, ShowsThePromptAndTheTemplate) {
  model_.change_info().template_source = "{{ template }}";
  run("/show template");
  EXPECT_EQ(last_notice(), "{{ template }}");
  run("/show prompt");
  EXPECT_THAT(last_notice(), HasSubstr("No prompt yet"));
  say("one");
  run("/show prompt");
  EXPECT_EQ(last_notice(), "<user>one<assistant>Answer.");
  run("/show weather");
  EXPECT_THAT(last_error(), HasSubstr("'weather'"));
  run("/stats");
  EXPECT_THAT(last_notice(), HasSubstr("context "));
}

TEST_F(SettingsCommandsTest, ReasoningIsSwitchedWhereTheTemplateCan) {
  run("/think off");
  EXPECT_THAT(last_error(), HasSubstr("does not reason"));
  model_.change_info().can_switch_thinking = true;
  run("/think off");
  answer("one", "1.");
  EXPECT_EQ(model_.requests.back().settings.thinking, false);
  run("/think");
  answer("two", "2.");
  EXPECT_EQ(model_.requests.back().settings.thinking, true);
  run("/nothink");
  EXPECT_EQ(chat_.answer_options().thinking, false);
  run("/think show");
  EXPECT_TRUE(console_.reasoning_open);
  run("/think maybe");
  EXPECT_THAT(last_error(), HasSubstr("on, off, show, hide or budget N"));
}

TEST_F(SettingsCommandsTest, TheBudgetOfReasoningHoldsUntilItIsLifted) {
  run("/think budget 500");
  EXPECT_THAT(last_error(), HasSubstr("fake: this model does not reason"));
  run("/think off");
  EXPECT_THAT(last_error(), HasSubstr("fake: this model does not reason"));
  model_.change_info().can_reason = true;
  run("/think budget");
  EXPECT_THAT(last_notice(), HasSubstr("no limit"));
  run("/think budget  1500");
  EXPECT_THAT(last_notice(), HasSubstr("limited to 1,500 tokens"));
  answer("one", "1.");
  run("/new");
  answer("two", "2.");
  EXPECT_EQ(model_.requests.back().reasoning_budget, 1500);
  run("/think budget off");
  answer("three", "3.");
  EXPECT_EQ(model_.requests.back().reasoning_budget, -1);
  for (const char* bad : {"-1", "many", "5x", "99999999999"}) {
    run(std::string("/think budget ") + bad);
    EXPECT_THAT(last_error(), HasSubstr("is not a whole number of at least 0")) << bad;
  }
  run("/think budgets");
  EXPECT_THAT(last_error(), HasSubstr("'budgets': expected /think on"));
}

TEST_F(SettingsCommandsTest, ABudgetOfNothingSwitchesReasoningOffWhereTheTemplateCan) {
  model_.change_info().can_reason = true;
  run("/think off");
  EXPECT_THAT(last_error(), HasSubstr("/think budget 0 cuts it off"));
  run("/think budget 0");
  EXPECT_THAT(last_notice(), HasSubstr("Reasoning is off"));
  answer("one", "1.");
  EXPECT_EQ(model_.requests.back().settings.thinking, std::nullopt);
  EXPECT_EQ(model_.requests.back().reasoning_budget, 0);
  model_.change_info().can_switch_thinking = true;
  answer("two", "2.");
  EXPECT_EQ(model_.requests.back().settings.thinking, false);
  chat_.prepare("");
  EXPECT_EQ(model_.preparations.back().settings, model_.requests.back().settings);
  run("/think");
  answer("three", "3.");
  EXPECT_EQ(model_.requests.back().settings.thinking, true);
  EXPECT_EQ(model_.requests.back().reasoning_budget, -1);
}

}  // namespace
}  // namespace confab::app
