// SPDX-License-Identifier: MIT
#include "app/commands/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/config.h"
#include "app/parameters.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
  EXPECT_THAT(last_notice(), HasSubstr("temperature           0.5      /set\n"));
}

TEST_F(SettingsCommandsTest, StopEndsAnswers) {
  run("/set parameter stop User:");
  EXPECT_EQ(last_notice(), "stop is now User:.");
  say("one");
  EXPECT_THAT(model_.requests.back().stop, ElementsAre("User:"));
  run("/set");
  EXPECT_THAT(last_notice(), HasSubstr("stop                  User:"));
  run("/set stop none");
  say("two");
  EXPECT_THAT(model_.requests.back().stop, IsEmpty());
  EXPECT_THAT(setting_names(), Contains("stop"));
}

TEST_F(SettingsCommandsTest, WhereEachValueIsFromIsShown) {
  model_.change_info().sampling = {{"temp", 0.25}, {"top_p", 0.5}};
  AnswerOptions& options = chat_.answer_options();
  ASSERT_EQ(set_parameter(*find_set_parameter("top_k"), options, "20", Origin::config), "");
  ASSERT_EQ(set_parameter(*find_set_parameter("top_p"), options, "0.75", Origin::command_line), "");
  run("/set min_p 0.1");
  run("/set");
  for (const char* line :
       {"temperature           0.25     the model\n",
        "top_k                 20       config.toml\n",
        "top_p                 0.75     the command line\n",
        "min_p                 0.1      /set\n", "repeat_last_n         64       default\n"})
    EXPECT_THAT(last_notice(), HasSubstr(line));
  run("/set top_p default");
  EXPECT_THAT(last_notice(), HasSubstr("top_p is now 0.5."));
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

TEST_F(SettingsCommandsTest, ListsAndSwitchesAreRememberedToo) {
  TempDir home;
  context_.remembered = Remembered(home / "state.toml");
  run("/set samplers top_k;temp");
  run("/set dry_sequence_breakers \"\\n\" \"->\"");
  run("/set ignore_eos on");
  run("/set logit_bias 5-inf");
  EXPECT_THAT(last_notice(), HasSubstr("logit_bias is now 5-inf."));
  const ChatOptions next = load_config(home / "state.toml");
  EXPECT_EQ(next.sampling.samplers, chat_.answer_options().sampling.samplers);
  EXPECT_EQ(next.sampling.dry_sequence_breakers, (std::vector<std::string>{"\n", "->"}));
  EXPECT_TRUE(next.sampling.ignore_eos);
  EXPECT_TRUE(next.sampling.logit_bias.empty()) << "another model has other tokens";
}

TEST_F(SettingsCommandsTest, WhatIsNoSettingIsSaid) {
  for (const auto& [line, fault] :
       {std::pair{"/set warmth 3", "no setting 'warmth'"},
        {"/set top_p 3", "top_p must be a number from 0 to 1 (1: off), not 3"},
        {"/set top_p x", "not x"},
        {"/set temperature nan", "temperature must be a number"},
        {"/set top_k", "/set top_k VALUE"},
        {"/set samplers top_k;warmth", "samplers must be some of penalties;dry;"},
        {"/set logit_bias 5", "logit_bias must be TOKEN+BIAS or TOKEN-BIAS"},
        {"/set logit_bias 5+inf", "not 5+inf"},
        {"/set mirostat 3", "mirostat must be a whole number from 0 to 2 (0: off), not 3"},
        {"/set ignore_eos maybe", "ignore_eos must be true or false, not maybe"},
        {"/set num_ctx 9", "confab -c N"},
        {"/set threads 2", "threads can only be set at startup: confab --threads N"},
        {"/set mouse on", "mouse can only be set at startup: confab --mouse"},
        {"/set theme light", "theme is set by /theme"},
        {"/set reasoning_budget 9", "reasoning_budget is set by /think budget"}}) {
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
