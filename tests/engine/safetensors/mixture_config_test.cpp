// SPDX-License-Identifier: MIT
#include "engine/safetensors/model_config.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/gguf/gguf.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

constexpr ModelFamily kV2{
    .of = "DeepseekV2ForCausalLM", .architecture = "deepseek2", .sums_to_one = false};
constexpr ModelFamily kV3{.of = "DeepseekV3ForCausalLM", .architecture = "deepseek2"};
constexpr ModelFamily kQwen{.of = "Qwen3MoeForCausalLM", .architecture = "qwen3moe"};

Gguf read(const ModelFamily& family, const nlohmann::json& config) {
  GgufHeader keys(32);
  const auto json = base::Json::parse(config.dump());
  const JsonFields fields("c.json", json);
  add_mixture(family, ConfigKeys(family.architecture, fields, keys));
  GgufContents contents;
  contents.path = "c";
  contents.metadata = keys.bytes();
  return Gguf(std::move(contents));
}

nlohmann::json deepseek(const nlohmann::json& more) {
  nlohmann::json config = {{"n_routed_experts", 8},       {"num_experts_per_tok", 2},
                           {"moe_intermediate_size", 64}, {"n_shared_experts", 1},
                           {"first_k_dense_replace", 3},  {"routed_scaling_factor", 2.5}};
  config.update(more);
  return config;
}

TEST(MixtureConfigTest, ExpertsOfEveryLayer) {
  const Gguf gguf = read(kQwen, {{"num_experts", 4},
                                 {"num_experts_per_tok", 2},
                                 {"moe_intermediate_size", 96},
                                 {"shared_expert_intermediate_size", 64}});
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_count"), 4);
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_used_count"), 2);
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_feed_forward_length"), 96);
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_shared_feed_forward_length"), 64);
  EXPECT_TRUE(read(kQwen, nlohmann::json::object()).keys().empty());
}

TEST(MixtureConfigTest, ExpertsAfterSomeLayersWithout) {
  const Gguf gguf = read(kV3, deepseek({{"n_group", 4}, {"topk_group", 2}}));
  EXPECT_EQ(gguf.find_int("deepseek2.expert_count"), 8);
  EXPECT_EQ(gguf.find_int("deepseek2.expert_shared_count"), 1);
  EXPECT_EQ(gguf.find_int("deepseek2.leading_dense_block_count"), 3);
  EXPECT_EQ(gguf.find_float("deepseek2.expert_weights_scale"), 2.5);
  EXPECT_EQ(gguf.find_int("deepseek2.expert_group_count"), 4);
  EXPECT_EQ(gguf.find_int("deepseek2.expert_group_used_count"), 2);
  EXPECT_EQ(gguf.find_int("deepseek2.expert_gating_func"), 2) << "sigmoid, as its class has it";
  EXPECT_EQ(gguf.find_bool("deepseek2.expert_weights_norm"), true);
  const Gguf dense = read(kV3, deepseek({{"first_k_dense_replace", 0}}));
  EXPECT_EQ(dense.find("deepseek2.leading_dense_block_count"), nullptr);
}

TEST(MixtureConfigTest, TheClassSaysWhatTheFileLeavesOut) {
  const Gguf gguf = read(kV2, deepseek({{"n_group", 4}}));
  EXPECT_EQ(gguf.find_int("deepseek2.expert_gating_func"), 1);
  EXPECT_EQ(gguf.find_bool("deepseek2.expert_weights_norm"), false);
  EXPECT_EQ(gguf.find("deepseek2.expert_group_count"), nullptr) << "greedy: groups do not count";
}

TEST(MixtureConfigTest, WaysToChooseThatCannotBeRunAreRefused) {
  const auto error = [](const ModelFamily& family, const nlohmann::json& config) {
    return error_of([&] { read(family, config); });
  };
  EXPECT_EQ(error(kV2, deepseek({{"n_group", 4}, {"topk_method", "group_limited_greedy"}})),
            "c.json: \"topk_method\" is group_limited_greedy with 4 groups of experts, expected "
            "noaux_tc or greedy; use a GGUF file of the model");
  EXPECT_THAT(error(kV3, deepseek({{"scoring_func", "sqrtsoftplus"}})),
              HasSubstr("\"scoring_func\" is sqrtsoftplus, expected softmax or sigmoid"));
  EXPECT_THAT(error(kV3, deepseek({{"moe_layer_freq", 2}})), HasSubstr("\"moe_layer_freq\""));
  EXPECT_THAT(error(kV3, deepseek({{"num_experts_per_tok", 9}})), HasSubstr("expected 1 to 8"));
}

}  // namespace
}  // namespace confab::engine
