// SPDX-License-Identifier: MIT
#include "engine/safetensors/rope_config.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/gguf/gguf.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

struct Read {
  std::vector<NamedVector> vectors;
  Gguf gguf;
};

Read read(const nlohmann::json& config, std::uint32_t n_ctx = 131072) {
  GgufHeader keys(32);
  const auto json = base::Json::parse(config.dump());
  auto vectors = add_rope(JsonFields("c.json", json), {"llama", 128, n_ctx}, keys);
  GgufContents contents;
  contents.path = "c";
  contents.metadata = keys.bytes();
  return {std::move(vectors), Gguf(std::move(contents))};
}

const nlohmann::json kLlama3 = {{"rope_type", "llama3"},
                                {"factor", 8.0},
                                {"low_freq_factor", 1.0},
                                {"high_freq_factor", 4.0},
                                {"original_max_position_embeddings", 8192}};

TEST(RopeConfigTest, TheBaseIsReadInBothSpellings) {
  for (const nlohmann::json& config :
       {nlohmann::json{{"rope_theta", 5e5}},
        nlohmann::json{{"rope_parameters", {{"rope_theta", 5e5}, {"rope_type", "default"}}}},
        nlohmann::json{{"rope_parameters",
                        {{"full_attention", {{"rope_theta", 5e5}}},
                         {"sliding_attention", {{"rope_theta", 1e4}}}}}}})
    EXPECT_EQ(read(config).gguf.find_float("llama.rope.freq_base"), 5e5) << config;
  EXPECT_EQ(read({{"rope_local_base_freq", 1e4}}).gguf.find_float("llama.rope.freq_base_swa"), 1e4);
}

// Fast pairs stay, slow ones are divided by the factor; the first and last lie far outside of what
// is between.
TEST(RopeConfigTest, Llama3sScalingBecomesDivisors) {
  const Read found = read({{"rope_theta", 5e5}, {"rope_scaling", kLlama3}});
  EXPECT_EQ(found.gguf.find("llama.rope.scaling.type"), nullptr);
  ASSERT_EQ(found.vectors.size(), 1U);
  EXPECT_EQ(found.vectors[0].name, "rope_freqs.weight");
  const auto& divisors = found.vectors[0].values;
  ASSERT_EQ(divisors.size(), 64U);
  EXPECT_EQ(divisors.front(), 1);
  EXPECT_EQ(divisors.back(), 8);
  EXPECT_TRUE(std::ranges::is_sorted(divisors));
  // Pair 32 turns once in 2 pi sqrt(5e5) = 4442.9 tokens, between 8192 / 4 and 8192 / 1.
  const double smooth = (8192 / 4442.883 - 1) / 3;
  EXPECT_NEAR(divisors[32], 1 / ((1 - smooth) / 8 + smooth), 1e-4);
}

TEST(RopeConfigTest, LinearAndYarnAreKeys) {
  const Gguf linear = read({{"rope_scaling", {{"type", "linear"}, {"factor", 4}}}}).gguf;
  EXPECT_EQ(linear.find_string("llama.rope.scaling.type"), "linear");
  EXPECT_EQ(linear.find_float("llama.rope.scaling.factor"), 4);
  const Gguf yarn = read({{"rope_scaling",
                           {{"type", "yarn"},
                            {"factor", 4},
                            {"beta_fast", 16},
                            {"original_max_position_embeddings", 32768}}}})
                        .gguf;
  EXPECT_EQ(yarn.find_int("llama.rope.scaling.original_context_length"), 32768);
  EXPECT_EQ(yarn.find_float("llama.rope.scaling.yarn_beta_fast"), 16);
}

// GGUF's key multiplies 1 + 0.1 ln(factor), which YaRN's magnitude is anyway.
TEST(RopeConfigTest, YarnsMagnitudeIsWhatTheFileSays) {
  const auto factor = [](double whole) {
    return *read({{"rope_scaling", {{"type", "yarn"}, {"factor", 8}, {"attention_factor", whole}}}})
                .gguf.find_float("llama.rope.scaling.attn_factor");
  };
  EXPECT_NEAR(factor(1.2079441541679836), 1, 1e-6);
  EXPECT_NEAR(factor(1), 1 / 1.2079441541679836, 1e-6);
}

TEST(RopeConfigTest, LatentAttentionHasYarnsMagnitudeInItsScores) {
  const auto read_latent = [](const nlohmann::json& more) {
    nlohmann::json config = {
        {"rope_scaling", {{"type", "yarn"}, {"factor", 40}, {"mscale_all_dim", 0.5}}}};
    config["rope_scaling"].update(more);
    GgufHeader keys(32);
    const auto json = base::Json::parse(config.dump());
    add_rope(JsonFields("c.json", json), {"deepseek2", 64, 163840}, keys);
    GgufContents contents;
    contents.metadata = keys.bytes();
    return Gguf(std::move(contents));
  };
  EXPECT_NEAR(
      *read_latent({{"mscale", 0.5}}).find_float("deepseek2.rope.scaling.yarn_log_multiplier"),
      0.05, 1e-7);
  EXPECT_THAT(error_of([&] {
                read_latent({{"mscale", 1.0}});
              }),
              HasSubstr("\"mscale\" is not \"mscale_all_dim\""));
}

TEST(RopeConfigTest, LongropeHasDivisorsForShortAndLongContexts) {
  const std::vector<double> ones(48, 1.0), twos(48, 2.0);
  const Read found = read(
      {{"partial_rotary_factor", 0.75},
       {"original_max_position_embeddings", 4096},
       {"rope_scaling", {{"type", "longrope"}, {"short_factor", ones}, {"long_factor", twos}}}});
  EXPECT_EQ(found.gguf.find_int("llama.rope.dimension_count"), 96);
  EXPECT_EQ(found.gguf.find_int("llama.rope.scaling.original_context_length"), 4096);
  EXPECT_NEAR(*found.gguf.find_float("llama.rope.scaling.attn_factor"),
              std::sqrt(1 + std::log(32.0) / std::log(4096.0)), 1e-6);
  ASSERT_EQ(found.vectors.size(), 2U);
  EXPECT_EQ(found.vectors[0].name, "rope_factors_long.weight");
  EXPECT_EQ(found.vectors[0].values, std::vector<float>(48, 2.0F));
}

TEST(RopeConfigTest, WhatIsUnknownOrDamagedIsRefused) {
  const auto error = [](const nlohmann::json& config) { return error_of([&] { read(config); }); };
  EXPECT_EQ(error({{"rope_scaling", {{"type", "dynamic"}, {"factor", 2}}}}),
            "c.json: rope_scaling: the scaling dynamic is not supported; use a GGUF file of the "
            "model");
  EXPECT_THAT(error({{"rope_scaling", {{"type", "yarn"}}}}), HasSubstr("\"factor\" is missing"));
  EXPECT_THAT(error({{"partial_rotary_factor", 1.5}}), HasSubstr("at most 1"));
  EXPECT_THAT(error({{"partial_rotary_factor", 0.01}}), HasSubstr("expected an even number"));
  nlohmann::json flat = kLlama3;
  flat["high_freq_factor"] = 1.0;
  EXPECT_THAT(error({{"rope_scaling", flat}}), HasSubstr("do not make a range"));
  EXPECT_THAT(error({{"original_max_position_embeddings", 4096},
                     {"rope_scaling", {{"type", "su"}, {"long_factor", {1, 2}}}}}),
              HasSubstr("\"long_factor\" is not a list of 64 numbers"));
}

}  // namespace
}  // namespace confab::engine
