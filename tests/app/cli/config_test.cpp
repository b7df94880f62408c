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
ctx_size = 4096
threads = 2
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
  EXPECT_EQ(options.system, "Be brief.");
  EXPECT_EQ(options.model.n_ctx, 4096);
  EXPECT_EQ(options.model.n_threads, 2);
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

TEST_F(ConfigTest, FaultsNameFileAndKey) {
  EXPECT_NE(error("modle = 'x'").find("config.toml:1: unknown key 'modle'"), std::string::npos);
  EXPECT_NE(error("ctx_size = 'big'").find("ctx_size: expected an integer"), std::string::npos);
  EXPECT_NE(error("ctx_size = 0").find("ctx_size"), std::string::npos);
  EXPECT_NE(error("model = 3").find("model: expected a string"), std::string::npos);
  EXPECT_NE(error("temperature = 'hot'").find("temperature: expected a number"), std::string::npos);
  EXPECT_NE(error("cache_type_k = 'q3'").find("expected one of f32, f16, bf16, q8_0"),
            std::string::npos);
  EXPECT_NE(error("cache_type_k = 5").find("expected one of f32, f16, bf16, q8_0"),
            std::string::npos);
  EXPECT_NE(error("cache_max_gib = -1").find("cache_max_gib: expected a number >= 0"),
            std::string::npos);
  EXPECT_NE(error("seed = -1").find("seed"), std::string::npos);
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
