// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

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
       {std::pair{"modle = 'x'", "unknown key 'modle'; known: model, theme"},
        {"ctx_size = 'big'", "ctx_size must be a whole number from 1 to 16777216"},
        {"ctx_size = 0", "ctx_size must be"},
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
        {"seed = -1", "seed must be a whole number of at least 0, not -1"}}) {
    const std::string message = error(std::string("# mine\n\n") + line + "\n");
    EXPECT_NE(message.find(std::string("/config.toml:3: ") + fault), std::string::npos) << message;
  }
}

TEST_F(ConfigTest, KeysAreListedWithWhatTheyTake) {
  for (const ConfigKey& key : config_keys()) {
    EXPECT_EQ(error(std::string(key.name) + " = []").find("unknown key"), std::string::npos);
    EXPECT_FALSE(key.help.empty()) << key.name;
  }
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
