// SPDX-License-Identifier: MIT
// A row of the table is all that a parameter needs: each is walked through every place where one
// can be given or seen.
#include "app/parameters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/chat/convert.h"
#include "app/cli/cli.h"
#include "app/cli/config.h"
#include "app/cli/manual.h"
#include "app/commands/completion.h"
#include "app/error.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string name_of(const testing::TestParamInfo<Parameter>& info) {
  return std::string(info.param.name);
}

class ParametersTest : public CommandFixture, public testing::WithParamInterface<Parameter> {
 protected:
  static std::string long_flag() {
    return std::string(GetParam().flag.substr(GetParam().flag.find("--")));
  }
  // What is said of a value on the command line and in the configuration; empty: it is taken.
  static std::string flag_fault(const std::string& value) {
    try {
      parse_command_line({long_flag() + "=" + value}, {});
    } catch (const UsageError& fault) {
      return fault.what();
    }
    return {};
  }
  std::string config_fault(const std::string& value) const {
    try {
      load_config(home_.file("config.toml", config_line(value)));
    } catch (const UsageError& fault) {
      return fault.what();
    }
    return {};
  }
  std::string set_fault(const std::string& value) {
    console_.errors.clear();
    run("/set " + std::string(GetParam().name) + " " + value);
    return last_error();
  }
  // In its range, and not its default.
  static std::string other_value() {
    for (const char* value : {"1", "0.5", "7", "true", "top_k;temperature", R"("x" "\n")", "5-1.5"})
      if (AnswerOptions options; set_parameter(GetParam(), options, value, Origin::chat).empty() &&
                                 value_text(GetParam(), options) == value &&
                                 value_text(GetParam(), {}) != value)
        return value;
    return "no value";
  }
  static std::string config_line(const std::string& value) {
    const std::string_view quote = is_list(GetParam()) ? "'" : "";
    return fmt::format("{} = {}{}{}", GetParam().key, quote, value, quote);
  }
  static bool is_number() { return !is_list(GetParam()) && !is_switch(GetParam()); }
  std::vector<std::string> values_outside() const {
    if (!is_number()) return {R"("x)"};
    const ParameterRange& range = GetParam().range;
    std::vector<std::string> values{std::to_string(static_cast<std::int64_t>(range.least) - 1)};
    if (!std::isinf(range.most))
      values.push_back(std::to_string(static_cast<std::int64_t>(range.most) + 1));
    return values;
  }
  bool has_set() const { return GetParam().command.empty(); }
  TempDir home_;
};

TEST_P(ParametersTest, DefaultTakesBackWhatWasSet) {
  AnswerOptions options;
  ASSERT_EQ(set_parameter(GetParam(), options, other_value(), Origin::chat), "");
  EXPECT_EQ(std::ranges::count(options.origins, Origin::chat), 1);
  ASSERT_EQ(set_parameter(GetParam(), options, "default", Origin::chat), "");
  EXPECT_EQ(options, AnswerOptions());
}

TEST_P(ParametersTest, IsGivenByFlagKeyAndSet) {
  const std::string value = other_value();
  const auto expect = [&](const AnswerOptions& options, Origin from) {
    EXPECT_EQ(value_text(GetParam(), options), value);
    EXPECT_EQ(origin_of(GetParam(), options), from);
  };
  const auto invocation = parse_command_line({long_flag() + "=" + value}, {});
  expect(std::get<ChatOptions>(invocation), Origin::command_line);
  const auto file = home_.file("config.toml", config_line(value));
  expect(load_config(file), Origin::config);
  Paths paths;
  paths.state = file;
  expect(load_state(paths, StatePart::all), Origin::remembered);
  expect(load_config(file, load_state(paths, StatePart::all)), Origin::config);
  if (!has_set()) return;
  EXPECT_EQ(set_fault(value), "");
  expect(chat_.answer_options(), Origin::chat);
  run("/show parameters");
  EXPECT_THAT(last_notice(), HasSubstr(std::string(GetParam().name)));
}

TEST_P(ParametersTest, IsRefusedOutsideItsRangeInTheSameWords) {
  for (const std::string& value : values_outside()) {
    if (value == GetParam().same.text) continue;  // llama.cpp's way to say something else
    const std::string words = "must be " + range_text(GetParam()) + ", not " + value;
    EXPECT_THAT(flag_fault(value), HasSubstr(long_flag() + " " + words));
    if (!is_switch(GetParam())) {  // it is not what TOML writes
      EXPECT_THAT(config_fault(value),
                  HasSubstr("/config.toml:1: " + std::string(GetParam().key) + " " + words));
    }
    if (has_set()) {
      EXPECT_EQ(set_fault(value), std::string(GetParam().name) + " " + words);
    }
    EXPECT_EQ(value_text(GetParam(), chat_.answer_options()), value_text(GetParam(), {}));
  }
  if (!is_number()) return;
  for (const char* value : {"x", "nan", "1x", "inf"}) {
    EXPECT_THAT(flag_fault(value), HasSubstr("must be")) << value;
    EXPECT_NE(config_fault(value), "") << value;
  }
}

TEST_P(ParametersTest, IsInManualCompletionAndHelp) {
  const std::string manual = std::get<PrintAndExit>(parse_command_line({"--man"}, {})).text;
  EXPECT_THAT(manual, HasSubstr(roff_text(long_flag())));
  const std::string page = std::get<PrintAndExit>(parse_command_line({"--man", "config"}, {})).text;
  EXPECT_THAT(page, HasSubstr("\\fB" + roff_text(GetParam().key) + "\\fR"));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto text = std::get<PrintAndExit>(parse_command_line({"--completion", shell}, {})).text;
    EXPECT_THAT(text, HasSubstr(long_flag().substr(2))) << shell;
  }
  std::vector<std::string> offered;
  for (const ui::Candidate& candidate : complete(context_, "/set ", ""))
    offered.push_back(candidate.text);
  if (has_set()) {
    EXPECT_THAT(manual, HasSubstr(roff_text("/set " + std::string(GetParam().name))));
    EXPECT_THAT(offered, Contains(std::string(GetParam().name)));
  } else {
    EXPECT_THAT(offered, Not(Contains(std::string(GetParam().name))));
  }
}

TEST_P(ParametersTest, OfTheSamplerIsKeptBesideAnAnswer) {
  AnswerOptions options;
  ASSERT_EQ(set_parameter(GetParam(), options, other_value(), Origin::chat), "");
  const bool of_sampler = !std::holds_alternative<int AnswerOptions::*>(GetParam().member);
  const bool kept = to_json(options.sampling).find('"' + std::string(GetParam().name) + "\":") !=
                    std::string::npos;
  EXPECT_EQ(kept, of_sampler);
}

TEST_P(ParametersTest, TakesItsDefaultItsLimitsAndWhatSwitchesItOff) {
  AnswerOptions options;
  std::vector<std::string> values{value_text(GetParam(), options)};
  if (values[0].empty()) values.clear();  // none unless one is given
  const ParameterRange& range = GetParam().range;
  if (is_number())
    for (const double value :
         {range.least, range.most, GetParam().off.value_or(ParameterOff{range.least}).value})
      if (!std::isinf(value)) values.push_back(fmt::format("{}", value));
  for (const std::string& value : values)
    EXPECT_EQ(set_parameter(GetParam(), options, value, Origin::chat), "") << value;
}

INSTANTIATE_TEST_SUITE_P(Rows, ParametersTest, testing::ValuesIn(parameters()), name_of);

TEST(ParameterTableTest, NamesAreEachGivenOnce) {
  std::set<std::string_view> names, keys, flags;
  for (const Parameter& parameter : parameters()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_TRUE(keys.insert(parameter.key).second) << parameter.key;
    EXPECT_TRUE(flags.insert(parameter.flag).second) << parameter.flag;
    EXPECT_EQ(find_set_parameter(parameter.name) != nullptr, parameter.command.empty());
  }
  EXPECT_EQ(find_set_parameter("warmth"), nullptr);
  EXPECT_EQ(find_set_parameter("top-p")->name, "top_p");
  EXPECT_EQ(find_set_parameter("predict")->name, "num_predict");
}

TEST(ParameterTableTest, ListsAreGivenInOneOrInSeveral) {
  const auto of = [](std::vector<std::string> words) {
    return std::get<ChatOptions>(parse_command_line(std::move(words), {})).sampling;
  };
  EXPECT_EQ(
      of({"--dry-sequence-breaker", "\\n", "--dry-sequence-breaker", "a b"}).dry_sequence_breakers,
      (std::vector<std::string>{"\n", "a b"}));
  EXPECT_TRUE(of({"--dry-sequence-breaker", "none"}).dry_sequence_breakers.empty());
  const std::vector<engine::LogitBias> biases{{.token = 5, .bias = 1},
                                              {.text = " Hi", .bias = -1.5F}};
  EXPECT_EQ(of({"--logit-bias", "5+1", "--logit-bias", "\" Hi\"-1.5"}).logit_bias, biases);
  EXPECT_EQ(of({"--logit-bias", "5+1 \" Hi\"-1.5"}).logit_bias, biases);
  EXPECT_EQ(of({"--samplers", "topk,temp"}).samplers,
            (std::vector{engine::SamplerKind::top_k, engine::SamplerKind::temperature}));
  EXPECT_TRUE(of({"--ignore-eos"}).ignore_eos);
  EXPECT_FALSE(of({"--ignore-eos", "--ignore-eos=false"}).ignore_eos);
  EXPECT_EQ(of({"--typical-p", "0.5", "--top-n-sigma=2"}).top_n_sigma, 2);
  TempDir dir;
  const ChatOptions options = load_config(dir.file(
      "config.toml", "dry_sequence_breakers = [':', 'x']\nlogit_bias = ['5+1', '\" Hi\"-1.5']"));
  EXPECT_EQ(options.sampling.dry_sequence_breakers, (std::vector<std::string>{":", "x"}));
  EXPECT_EQ(options.sampling.logit_bias, biases);
}

TEST(ParameterTableTest, AModelRecommendsSamplersByTheirNames) {
  const std::vector<engine::Recommendation> of_model{
      {.name = "sequence", .text = "top_k;temperature"},
      {.name = "mirostat", .value = 2},
      {.name = "mirostat_tau", .value = 4.5},
      {.name = "xtc_probability", .value = 7},  // no probability
      {.name = "top_p", .text = "all"}};
  const AnswerOptions options = with_recommended({}, of_model);
  EXPECT_EQ(options.sampling.samplers,
            (std::vector{engine::SamplerKind::top_k, engine::SamplerKind::temperature}));
  EXPECT_EQ(options.sampling.mirostat, 2);
  EXPECT_EQ(options.sampling.mirostat_tau, 4.5F);
  EXPECT_EQ(options.sampling.xtc_probability, 0);
  EXPECT_EQ(options.sampling.top_p, engine::SamplerParams().top_p);
  EXPECT_EQ(origin_of(*find_set_parameter("samplers"), options), Origin::model);
  EXPECT_EQ(origin_of(*find_set_parameter("xtc_probability"), options), Origin::built_in);
  EXPECT_EQ(with_recommended(options, {}), AnswerOptions()) << "of another model";
}

TEST(ParameterTableTest, AModelRecommendsByOllamasNamesToo) {
  const std::vector<engine::Recommendation> of_model{
      {.name = "temperature", .value = 0.25}, {.name = "temp", .value = 0.75},
      {.name = "num_predict", .value = 40},   {.name = "repeat_penalty", .value = 1.5},
      {.name = "seed", .value = 7},           {.name = "num_gpu", .value = 1}};
  const std::vector<std::string> stop{"<end>"};
  const AnswerOptions options = with_recommended({}, of_model, stop);
  EXPECT_EQ(options.sampling.temperature, 0.25F);
  EXPECT_EQ(options.n_predict, 40);
  EXPECT_EQ(options.sampling.seed, 7U);
  EXPECT_EQ(origin_of(*find_set_parameter("repeat_penalty"), options), Origin::model);
  EXPECT_EQ(options.stop, stop);
  AnswerOptions own;
  own.stop = {"mine"};
  ASSERT_EQ(set_parameter(*find_set_parameter("temperature"), own, "0.5", Origin::config), "");
  EXPECT_EQ(with_recommended(own, of_model, stop).stop, own.stop);
  EXPECT_EQ(with_recommended(own, of_model, stop).sampling.temperature, 0.5F);
}

TEST(ParameterTableTest, FaultsAndHelpSayRangeAndOff) {
  const Parameter& top_p = *find_set_parameter("top_p");
  EXPECT_EQ(range_text(top_p), "a number from 0 to 1 (1: off)");
  EXPECT_EQ(help_text(*find_set_parameter("num_predict")),
            "Maximum length of an answer in tokens; -1: no limit");
  AnswerOptions options;
  EXPECT_EQ(set_parameter(top_p, options, "3", Origin::chat),
            "must be a number from 0 to 1 (1: off), not 3");
  EXPECT_EQ(set_parameter(top_p, options, "0.25", Origin::chat), "");
  EXPECT_EQ(value_text(top_p, options), "0.25");
  const Parameter& seed = *find_set_parameter("seed");
  EXPECT_EQ(value_text(seed, options), "");
  EXPECT_EQ(set_parameter(seed, options, "18446744073709551615", Origin::chat), "");
  EXPECT_EQ(options.sampling.seed, UINT64_MAX);
}

TEST(ParametersTest, DefaultsOfLlamaCppMeanWhatTheyMeanThere) {
  AnswerOptions options;
  const auto put = [&](const char* name, const char* text) {
    return set_parameter(*find_set_parameter(name), options, text, Origin::chat);
  };
  EXPECT_EQ(put("seed", "5"), "");
  EXPECT_EQ(put("seed", "-1"), "");
  EXPECT_EQ(options.sampling.seed, std::nullopt);
  EXPECT_EQ(put("top_k", "-1"), "");
  EXPECT_EQ(options.sampling.top_k, 0);
  EXPECT_EQ(put("repeat_last_n", "-1"), "");
  EXPECT_EQ(options.sampling.repeat_last_n, 1 << 20);
  EXPECT_EQ(put("num_predict", "-2"), "");
  EXPECT_EQ(options.n_predict, -1);
  EXPECT_NE(put("top_k", "-2"), "");
}

}  // namespace
}  // namespace confab::app
