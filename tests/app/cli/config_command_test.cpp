// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/cli/option_fixture.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

struct Shown {
  int status;
  std::string out, err;
};

Shown show(ConfigQuery query, const std::vector<std::string>& faults = {}) {
  std::ostringstream out, err;
  Paths paths;
  paths.config_file = "/home/me/config.toml";
  const int status = run_config(query, faults, paths, out, err);
  return {status, out.str(), err.str()};
}

// A model that is not there recommends nothing.
ChatOptions some_options() {
  const ChatOptions file =
      by_file(
          "model = '/nowhere.gguf'\n\n# warm\ntemperature = 0.5\ntop_k = 7\nthinking = false\n"
          "reverse_prompt = ['User:', '###']\n"
          "system = 'Answer in one sentence, however long the question may be.'\n")
          .options;
  const ChatOptions environment =
      by_environment({"CONFAB_TOP_K=9", "CONFAB_THREADS=2", "CONFAB_INCOGNITO=1"}, file).options;
  return by_flags({"--temp", "0.25", "-c", "4096"}, environment).options;
}

// tests/golden/config/table. CONFAB_UPDATE_GOLDEN=1 rewrites it.
TEST(ConfigCommandTest, TheTableHasEachValueAndWhereItIsFrom) {
  const Shown shown = show({.options = some_options()});
  const std::string golden = CONFAB_SOURCE_DIR "/tests/golden/config/table";
  if (std::getenv("CONFAB_UPDATE_GOLDEN") != nullptr) write_file(golden, shown.out);
  EXPECT_EQ(shown.out, read_file(golden));
  EXPECT_EQ(shown.err, "");
  EXPECT_EQ(shown.status, 0);
  for (const Option& option : option_table())
    EXPECT_THAT(shown.out, HasSubstr("\n" + std::string(option.key) + " "));
}

TEST(ConfigCommandTest, OneValueStandsAlone) {
  const ChatOptions options = some_options();
  EXPECT_EQ(show({.options = options, .key = "temperature"}).out, "0.25\n");
  EXPECT_EQ(show({.options = options, .key = "incognito"}).out, "true\n");
  EXPECT_EQ(show({.options = options, .key = "reverse_prompt"}).out, "User:\n###\n");
  EXPECT_THAT(show({.options = options, .key = "system"}).out, StartsWith("Answer in one sentence, "
                                                                          "however long"));
  const Shown unset = show({.options = {}, .key = "threads"});
  EXPECT_EQ(unset.out, "");
  EXPECT_EQ(unset.err, "confab: threads is not set; by default: all cores\n");
  EXPECT_EQ(show({.options = {}, .key = "batch"}).out, "512\n");
  const ChatOptions chosen = by_environment({"CONFAB_THINKING=auto"}).options;
  EXPECT_EQ(show({.options = chosen, .key = "thinking"}).out, "auto\n");
}

TEST(ConfigCommandTest, JsonHasTheTypesOfTheFile) {
  const json all = json::parse(show({.options = some_options(), .json = true}).out);
  EXPECT_EQ(all.size(), option_table().size());
  EXPECT_EQ(all["temperature"], json({{"value", 0.25}, {"from", "--temp"}}));
  EXPECT_EQ(all["top_k"], json({{"value", 9}, {"from", "CONFAB_TOP_K"}}));
  EXPECT_EQ(all["thinking"], json({{"value", false}, {"from", "config.toml:6"}}));
  EXPECT_EQ(all["reverse_prompt"]["value"], json({"User:", "###"}));
  EXPECT_EQ(all["model"]["value"], "/nowhere.gguf");
  EXPECT_EQ(all["seed"], json({{"value", nullptr}, {"from", "default"}}));
  EXPECT_EQ(all["mouse"], json({{"value", false}, {"from", "default"}}));
  const json one =
      json::parse(show({.options = some_options(), .key = "ctx_size", .json = true}).out);
  EXPECT_EQ(one, json({{"value", 4096}, {"from", "--ctx-size"}}));
}

TEST(ConfigCommandTest, WhatTheModelRecommendsIsItsOwn) {
  const TempDir home;
  const std::string file = home / "a.gguf";
  engine::tiny_model().add("general.sampling.temp", 0.625F).write(file);
  ConfigQuery query{.options = by_flags({"-m", file}).options, .key = "temperature", .json = true};
  EXPECT_EQ(json::parse(show(query).out), json({{"value", 0.625}, {"from", "the model"}}));
  query.options = by_flags({"-m", file, "--temp", "1"}).options;
  EXPECT_EQ(json::parse(show(query).out), json({{"value", 1}, {"from", "--temp"}}));
}

TEST(ConfigCommandTest, FaultsAreToldBehindTheRest) {
  const Shown shown =
      show({.options = {}, .key = "batch"}, {"config.toml:1: is broken", "CONFAB_MOUSE too"});
  EXPECT_EQ(shown.out, "512\n");
  EXPECT_EQ(shown.err, "confab: config.toml:1: is broken\nconfab: CONFAB_MOUSE too\n");
  EXPECT_EQ(shown.status, 2);
}

TEST(ConfigCommandTest, PathIsThatOfTheFile) {
  EXPECT_EQ(show({.options = {}, .path = true}, {"a fault"}).out, "/home/me/config.toml\n");
  EXPECT_EQ(show({.options = {}, .path = true}, {"a fault"}).status, 0);
}

TEST(ConfigCommandTest, AKeyThatIsNoneGetsTheNearest) {
  EXPECT_EQ(by_flags({"temprature"}).fault, "no key 'temprature'; did you mean temperature?");
  EXPECT_EQ(by_flags({"xyzzy"}).fault, "no key 'xyzzy'; confab config lists them all");
}

TEST(ConfigCommandTest, TheProgramTellsOfFileVariablesAndFlags) {
  const TempDir home;
  home.file(".config/confab/config.toml", "batch = 64\ntemperature = 'hot'\ntop_k = 3\n");
  const RunResult all = run_program(home, {"config", "--seed", "5"}, {}, {"CONFAB_THREADS=3"});
  EXPECT_EQ(all.status, 2);
  EXPECT_THAT(all.out, testing::ContainsRegex("\nbatch +64 +config.toml:1\n"));
  EXPECT_THAT(all.out, testing::ContainsRegex("\nthreads +3 +CONFAB_THREADS\n"));
  EXPECT_THAT(all.out, testing::ContainsRegex("\ntop_k +3 +config.toml:3\n"));
  EXPECT_THAT(all.out, testing::ContainsRegex("\nseed +5 +--seed\n"));
  EXPECT_THAT(all.err, HasSubstr("config.toml:2: temperature must be a number from 0 to 100"));
  EXPECT_EQ(run_program(home, {"config", "--path"}).out,
            (home / ".config/confab/config.toml").string() + "\n");
  home.file(".config/confab/config.toml", "batch = [\n");
  const RunResult broken = run_program(home, {"config", "batch"});
  EXPECT_EQ(broken.status, 2);
  EXPECT_EQ(broken.out, "512\n");
  EXPECT_THAT(broken.err, HasSubstr("config.toml:"));
}

TEST(ConfigCommandTest, AVariableThatMeansNothingIsANotice) {
  const TempDir home;
  const RunResult result =
      run_program(home, {"config", "batch"}, {}, {"CONFAB_TEMP=1", "CONFAB_BATHC=2"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("the variable CONFAB_TEMP means nothing to confab; did you "
                                    "mean CONFAB_TEMPERATURE?"));
  EXPECT_THAT(result.err, HasSubstr("did you mean CONFAB_BATCH?"));
}

}  // namespace
}  // namespace confab::app
