// SPDX-License-Identifier: MIT
#include "engine/safetensors/model_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/gguf/gguf.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/tiny_folder.h"

namespace confab::engine {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Gguf read(const json& config) {
  GgufHeader keys(32);
  read_model_config("c.json", base::Json::parse(config.dump()), keys);
  GgufContents contents;
  contents.path = "c";
  contents.metadata = keys.bytes();
  return Gguf(std::move(contents));
}
std::string error(const json& config) {
  return error_of([&] { read(config); });
}

const Twin kLlama{.of = "LlamaForCausalLM", .architecture = "llama"};

TEST(ModelConfigTest, SizesStandUnderTheKeysOfTheArchitecture) {
  const Gguf gguf = read(tiny_config(kLlama));
  EXPECT_EQ(gguf.find_string("general.architecture"), "llama");
  EXPECT_EQ(gguf.find_int("llama.block_count"), kTwinLayers);
  EXPECT_EQ(gguf.find_int("llama.context_length"), 512);
  EXPECT_EQ(gguf.find_int("llama.embedding_length"), kTwinEmbd);
  EXPECT_EQ(gguf.find_int("llama.attention.head_count"), kTwinHead);
  EXPECT_EQ(gguf.find_int("llama.attention.head_count_kv"), 1);
  EXPECT_EQ(gguf.find_int("llama.attention.key_length"), kTwinHeadDim);
  EXPECT_EQ(gguf.find_int("llama.rope.dimension_count"), kTwinHeadDim);
  EXPECT_EQ(gguf.find_bool("llama.rope.interleaved"), false);
  EXPECT_NEAR(*gguf.find_float("llama.attention.layer_norm_rms_epsilon"), 1e-5, 1e-11);
}

TEST(ModelConfigTest, AMixtureHasItsExperts) {
  const Gguf gguf =
      read(tiny_config({.of = "Qwen3MoeForCausalLM", .architecture = "qwen3moe", .n_expert = 4}));
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_count"), 4);
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_used_count"), 2);
  EXPECT_EQ(gguf.find_int("qwen3moe.expert_feed_forward_length"), kTwinFf);
  EXPECT_EQ(gguf.find("qwen3moe.rope.interleaved"), nullptr);
}

// Gemma 3 with images: sizes are in an object of their own, and those of the class are left out.
TEST(ModelConfigTest, GemmaMayLeaveOutWhatItsClassSays) {
  const Gguf gguf = read({{"architectures", {"Gemma3ForConditionalGeneration"}},
                          {"text_config",
                           {{"hidden_size", 2560},
                            {"intermediate_size", 10240},
                            {"num_hidden_layers", 34},
                            {"sliding_window", 1024},
                            {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}}}}});
  EXPECT_EQ(gguf.find_int("gemma3.attention.head_count"), 8);
  EXPECT_EQ(gguf.find_int("gemma3.attention.head_count_kv"), 4);
  EXPECT_EQ(gguf.find_int("gemma3.attention.key_length"), 256);
  EXPECT_EQ(gguf.find_int("gemma3.context_length"), 131072);
  EXPECT_EQ(gguf.find_int("gemma3.attention.sliding_window"), 1024);
  EXPECT_EQ(gguf.find_float("gemma3.rope.scaling.factor"), 8);
}

TEST(ModelConfigTest, OtherClassesAreRefusedByName) {
  json config = tiny_config(kLlama);
  config["architectures"] = {"MambaForCausalLM"};
  EXPECT_THAT(error(config),
              HasSubstr("c.json: MambaForCausalLM cannot be run from safetensors; "
                        "use a GGUF file of the model. Supported: LlamaForCausalLM,"));
  config.erase("architectures");
  EXPECT_THAT(error(config), HasSubstr("\"architectures\" is missing"));
}

TEST(ModelConfigTest, QuantisationsThatCannotBeRunAreRefusedByName) {
  json config = tiny_config(kLlama);
  config["quantization_config"] = {{"quant_method", "awq"}};
  EXPECT_THAT(error(config), HasSubstr("its weights are quantised (awq), which this version cannot "
                                       "run from safetensors; use the model"));
}

TEST(ModelConfigTest, WhatIsMissingOrMakesNoSenseIsNamed) {
  for (const char* name : {"hidden_size", "num_hidden_layers", "num_attention_heads",
                           "intermediate_size", "max_position_embeddings", "rms_norm_eps"}) {
    json config = tiny_config(kLlama);
    config.erase(name);
    EXPECT_EQ(error(config), fmt::format("c.json: \"{}\" is missing", name));
  }
  const auto with = [](const char* name, const json& value) {
    json config = tiny_config(kLlama);
    config[name] = value;
    return error(config);
  };
  EXPECT_THAT(with("hidden_size", 0), HasSubstr("\"hidden_size\" is 0, expected 1 to"));
  EXPECT_THAT(with("hidden_act", "relu"), HasSubstr("\"hidden_act\" is relu, expected silu"));
  EXPECT_THAT(with("text_config", 7), HasSubstr("expected an object"));
  json mixture =
      tiny_config({.of = "Qwen3MoeForCausalLM", .architecture = "qwen3moe", .n_expert = 4});
  mixture["mlp_only_layers"] = {0};
  EXPECT_THAT(error(mixture), HasSubstr("only some of its layers have experts"));
  mixture.erase("mlp_only_layers");
  mixture["norm_topk_prob"] = false;
  EXPECT_THAT(error(mixture), HasSubstr("\"norm_topk_prob\" is false, expected true for Qwen3Moe"));
}

// What an architecture's graph has built in must be what the file says.
TEST(ModelConfigTest, VariantsOfAnArchitectureAreRefused) {
  const auto with = [](json config, const char* name, const json& value) {
    config[name] = value;
    return error(config);
  };
  const json smol = tiny_config({.of = "SmolLM3ForCausalLM", .architecture = "smollm3"});
  EXPECT_EQ(with(smol, "no_rope_layers", {1, 1, 1, 0, 1}), "");
  for (const json& layers : {json{1, 1, 0, 1}, json{1, 1, 1, 1}, json(3)})
    EXPECT_THAT(
        with(smol, "no_rope_layers", layers),
        HasSubstr("\"no_rope_layers\" has other layers without rotation than every fourth"));
  const json cohere = tiny_config({.of = "Cohere2ForCausalLM",
                                   .architecture = "cohere2",
                                   .layer_norms = true,
                                   .window = 8,
                                   .config = {{"logit_scale", 0.25}, {"layer_norm_eps", 1e-5}}});
  EXPECT_EQ(error(cohere), "");
  EXPECT_THAT(with(cohere, "layer_types", {"full_attention"}),
              HasSubstr("\"layer_types\" has other layers without a window"));
  EXPECT_THAT(with(cohere, "sliding_window_pattern", 2),
              HasSubstr("\"sliding_window_pattern\" is"));
  EXPECT_THAT(with(cohere, "rotary_pct", 0.5), HasSubstr("\"rotary_pct\" is not 1"));
  EXPECT_THAT(with(cohere, "logit_scale", nullptr), HasSubstr("\"logit_scale\" is missing"));
  EXPECT_THAT(with(cohere, "layer_norm_eps", nullptr), HasSubstr("\"layer_norm_eps\" is missing"));
  const json qwen =
      tiny_config({.of = "Qwen2MoeForCausalLM", .architecture = "qwen2moe", .n_expert = 4});
  EXPECT_THAT(with(qwen, "norm_topk_prob", true),
              HasSubstr("\"norm_topk_prob\" is true, expected false for Qwen2Moe"));
}

}  // namespace
}  // namespace confab::engine
