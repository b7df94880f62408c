// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ConfigTest : public ::testing::Test {
 protected:
  ChatOptions load(const std::string& text) { return load_config(dir_.file("config.toml", text)); }
  std::string error(const std::string& text) {
    try {
      load(text);
    } catch (const UsageError& fault) {
      return fault.what();
    }
    return "no error";
  }
  TempDir dir_;
};

TEST_F(ConfigTest, AMissingFileGivesTheDefaults) {
  const ChatOptions options = load_config(dir_.path() / "none.toml");
  EXPECT_EQ(options.model.path, "");
  EXPECT_EQ(options.sampling.top_k, engine::SamplerParams{}.top_k);
}

TEST_F(ConfigTest, ReadsEveryKey) {
  const ChatOptions options = load(R"(
model = "/models/a.gguf"
theme = "light"
system = "Be brief."
thinking = false
ctx_size = 4096
threads = 2
lookup = false
model_draft = "/models/small.gguf"
draft = false
draft_max = 7
draft_min = 0
draft_p_min = 0.5
predict = 100
reasoning_budget = 2000
top_k = 1
repeat_last_n = 8
seed = 7
temperature = 1
top_p = 0.5
min_p = 0.25
repeat_penalty = 1.5
frequency_penalty = 0.125
presence_penalty = 0.75
cache_type_k = "iq4_nl"
cache_type_v = "q8_0"
cache_max_gib = 1.5
)");
  EXPECT_EQ(options.cache_max_bytes, std::uint64_t{3} << 29);
  EXPECT_EQ(options.model.path, "/models/a.gguf");
  EXPECT_EQ(options.theme, "light");
  EXPECT_EQ(options.thinking, false);
  EXPECT_EQ(options.system, "Be brief.");
  EXPECT_EQ(options.model.n_ctx, 4096);
  EXPECT_EQ(options.model.n_threads, 2);
  EXPECT_FALSE(options.model.lookup);
  EXPECT_EQ(options.model.draft.path, "/models/small.gguf");
  EXPECT_FALSE(options.model.draft.wanted) << "it is for the configured model";
  EXPECT_FALSE(options.model.drafts);
  EXPECT_EQ(options.model.draft.most, 7);
  EXPECT_EQ(options.model.draft.least, 0);
  EXPECT_EQ(options.model.draft.p_min, 0.5F);
  EXPECT_EQ(options.n_predict, 100);
  EXPECT_EQ(options.reasoning_budget, 2000);
  EXPECT_EQ(options.sampling.top_k, 1);
  EXPECT_EQ(options.sampling.repeat_last_n, 8);
  EXPECT_EQ(options.sampling.seed, 7U);
  EXPECT_EQ(options.sampling.temperature, 1.0F);
  EXPECT_EQ(options.sampling.top_p, 0.5F);
  EXPECT_EQ(options.sampling.min_p, 0.25F);
  EXPECT_EQ(options.sampling.repeat_penalty, 1.5F);
  EXPECT_EQ(options.sampling.frequency_penalty, 0.125F);
  EXPECT_EQ(options.sampling.presence_penalty, 0.75F);
  EXPECT_EQ(options.model.type_k, kernels::Dtype::IQ4_NL);
  EXPECT_EQ(options.model.type_v, kernels::Dtype::Q8_0);
}

TEST_F(ConfigTest, FaultsNameFileLineAndKey) {
  for (const auto& [line, fault] :
       {std::pair{"modle = 'x'", "no key 'modle'; did you mean model?"},
        {"colour = 'red'", "no key 'colour'; confab config lists them all"},
        {"ctx_size = 'big'", "ctx_size must be a whole number from 1 to 16777216"},
        {"ctx_size = -1", "ctx_size must be"},
        {"threads = 5000", "threads must be a whole number from 1 to 1024"},
        {"lookup = 1", "lookup must be true or false"},
        {"draft_max = 0", "draft_max must be a whole number from 1 to 15"},
        {"draft_min = -1", "draft_min must be a whole number from 0 to 15"},
        {"draft_p_min = 2", "draft_p_min must be a number from 0 to 1"},
        {"model = 3", "model must be a string"},
        {"temperature = 'hot'", "temperature must be a number from 0 to 100"},
        {"temperature = 500", "temperature must be a number from 0 to 100 (0: greedy), not 500"},
        {"temperature = nan", "temperature must be a number"},
        {"top_k = 1.0", "top_k must be a whole number"},
        {"cache_type_k = 'q3'", "cache_type_k must be one of f32, f16, bf16, q8_0"},
        {"cache_type_k = 5", "cache_type_k must be one of f32, f16, bf16, q8_0"},
        {"cache_max_gib = -1", "cache_max_gib must be a number from 0"},
        {"seed = -2", "seed must be a whole number of at least 0, not -2"}}) {
    const std::string message = error(std::string("# mine\n\n") + line + "\n");
    EXPECT_NE(message.find(std::string("/config.toml:3: ") + fault), std::string::npos) << message;
  }
}

TEST_F(ConfigTest, EveryFaultIsFoundInTheOrderOfTheLines) {
  const auto file = dir_.file("config.toml", "top_k = 'a'\nthreads = 2\nbatch = 0\nmodle = 1\n");
  const LoadedOptions loaded = read_config(file, {}, Origin::config);
  ASSERT_EQ(loaded.faults.size(), 3U);
  EXPECT_THAT(loaded.faults[0], HasSubstr(":1: top_k"));
  EXPECT_THAT(loaded.faults[1], HasSubstr(":3: batch"));
  EXPECT_THAT(loaded.faults[2], HasSubstr(":4: no key 'modle'"));
  EXPECT_EQ(loaded.options.model.n_threads, 2) << "what is right counts";
}

TEST_F(ConfigTest, VariablesAreReadAsFlagsAre) {
  const std::vector<std::string> environment{
      "HOME=/",           "CONFAB_THREADS=2",     "CONFAB_ISA=avx2",
      "CONFAB_POWER=hot", "CONFAB_PRESSURE=none", "CONFAB_BATCH=many",
      "CONFABULATE=1",    "CONFAB_SEED="};
  const LoadedOptions loaded = read_environment(environment, {});
  EXPECT_EQ(loaded.options.model.n_threads, 2);
  EXPECT_THAT(loaded.faults, ElementsAre("CONFAB_BATCH must be a whole number from 1 to 8192, not "
                                         "many"));
  EXPECT_EQ(loaded.options.notice, "") << "CONFAB_ISA is the engine's";
}

TEST_F(ConfigTest, UnknownVariablesAreNoticesWithTheNearestName) {
  const auto notice = [](std::string variable) {
    return read_environment(std::vector{std::move(variable)}, {}).options.notice;
  };
  EXPECT_EQ(notice("CONFAB_TEMP=1"),
            "the variable CONFAB_TEMP means nothing to confab; did you mean CONFAB_TEMPERATURE?");
  EXPECT_EQ(notice("CONFAB_XYZZY=1"),
            "the variable CONFAB_XYZZY means nothing to confab; confab config lists those that do");
  EXPECT_THAT(notice("CONFAB_IS=x"), HasSubstr("CONFAB_ISA?"));
}

TEST_F(ConfigTest, DefaultsAreOfStateThenFileThenEnvironment) {
  Paths paths;
  paths.state = dir_.file("state.toml", "top_k = 1\nmin_p = 0.1\ntemperature = 0.1\n");
  paths.config_file = dir_.file("config.toml", "top_k = 2\nmin_p = 0.2\nbatch = 0\n");
  const std::vector<std::string> environment{"CONFAB_TOP_K=3", "CONFAB_THREADS=0"};
  const LoadedOptions loaded = load_defaults(paths, StatePart::all, environment);
  EXPECT_EQ(loaded.options.sampling.top_k, 3);
  EXPECT_EQ(loaded.options.sampling.min_p, 0.2F);
  EXPECT_EQ(loaded.options.sampling.temperature, 0.1F);
  EXPECT_THAT(loaded.faults,
              ElementsAre(HasSubstr("config.toml:3: batch"), HasSubstr("CONFAB_THREADS must be")));
  EXPECT_EQ(load_defaults(paths, StatePart::model, environment).options.sampling.temperature,
            engine::SamplerParams{}.temperature);
}

TEST_F(ConfigTest, BrokenTomlNamesTheLine) {
  const std::string message = error("model = 'a'\ntheme = \n");
  EXPECT_NE(message.find("config.toml:2"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST_F(ConfigTest, AFolderIsNoConfiguration) {
  EXPECT_THROW(load_config(dir_.path()), UsageError);
}

}  // namespace
}  // namespace confab::app
