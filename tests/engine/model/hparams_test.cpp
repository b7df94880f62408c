// SPDX-License-Identifier: MIT
#include "engine/model/hparams.h"

#include <gmock/gmock.h>

#include <limits>

#include "engine/gguf/gguf.h"
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::EndsWith;

class HparamsTest : public testing::Test {
 protected:
  Hparams load() {
    writer_.write(folder_ / "m.gguf");
    return Hparams::load(Gguf(folder_ / "m.gguf"));
  }
  // The error, without the path, when `key` has `value`.
  template <typename T>
  std::string error_with(const std::string& key, const T& value) {
    writer_ = tiny_model();
    writer_.remove(key).add(key, value);
    return error();
  }
  std::string error_without(const std::string& key) {
    writer_ = tiny_model();
    writer_.remove(key);
    return error();
  }
  std::string error() {
    const std::string message = error_of([&] { load(); });
    const std::string start = folder_ / "m.gguf: ";
    return message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
  }

  TemporaryFolder folder_;
  GgufWriter writer_ = tiny_model();
};

TEST_F(HparamsTest, ReadsTheSizes) {
  const Hparams hp = load();
  EXPECT_EQ(hp.architecture, "llama");
  EXPECT_EQ(hp.n_ctx_train, 512);
  EXPECT_EQ(hp.n_embd, 64);
  EXPECT_EQ(hp.n_layer, 2);
  EXPECT_EQ(hp.layers[0].n_ff, 96);
  EXPECT_EQ(hp.layers[0].n_head, 2);
  EXPECT_EQ(hp.layers[0].n_head_kv, 1);
  EXPECT_EQ(hp.layers[0].head_dim_k, 32);
  EXPECT_EQ(hp.layers[0].head_dim_v, 32);
  EXPECT_EQ(hp.ropes[0].n_rot, 32);
  EXPECT_EQ(hp.n_vocab, 300);
  EXPECT_EQ(hp.norm_eps, 1e-5F);
  EXPECT_EQ(hp.ropes[0].freq_base, 10000.0F);
  EXPECT_EQ(hp.ropes[0].scale_factor, 1.0F);
}

TEST_F(HparamsTest, FillsInWhatMayBeAbsent) {
  for (const char* key :
       {"llama.attention.head_count_kv", "llama.rope.dimension_count", "llama.rope.freq_base"}) {
    writer_.remove(key);
  }
  const Hparams hp = load();
  EXPECT_EQ(hp.layers[0].n_head_kv, 2);
  EXPECT_EQ(hp.ropes[0].n_rot, 32);
  EXPECT_EQ(hp.ropes[0].freq_base, 10000.0F);
}

TEST_F(HparamsTest, AHeadMayHaveItsOwnSize) {
  writer_.add("llama.attention.key_length", 48U).add("llama.attention.value_length", 24U);
  Hparams hp = load();
  EXPECT_EQ(hp.layers[0].head_dim_k, 48);
  EXPECT_EQ(hp.layers[0].head_dim_v, 24);
  EXPECT_EQ(hp.ropes[0].n_rot, 32);
  writer_.remove("llama.rope.dimension_count");
  EXPECT_EQ(load().ropes[0].n_rot, 48);
}

TEST_F(HparamsTest, RefusesModelsThatLookAhead) {
  EXPECT_EQ(error_with("llama.attention.causal", true), "");
  EXPECT_EQ(error_with("llama.attention.causal", false),
            "key llama.attention.causal is false, expected true: a model that generates text from "
            "left to right");
}

TEST_F(HparamsTest, LayersMayDiffer) {
  writer_.remove("llama.attention.head_count_kv").remove("llama.feed_forward_length");
  writer_.add_array("llama.attention.head_count_kv", std::vector<std::int32_t>{2, 1});
  writer_.add_array("llama.feed_forward_length", std::vector<std::int32_t>{96, 32});
  const Hparams hp = load();
  EXPECT_EQ(hp.layers[0].n_head_kv, 2);
  EXPECT_EQ(hp.layers[1].n_head_kv, 1);
  EXPECT_EQ(hp.layers[0].n_ff, 96);
  EXPECT_EQ(hp.layers[1].n_ff, 32);
  writer_.remove("llama.feed_forward_length");
  writer_.add_array("llama.feed_forward_length", std::vector<std::int32_t>{96});
  EXPECT_EQ(error(), "key llama.feed_forward_length is an array of 1, expected 2 values");
}

TEST_F(HparamsTest, LayersOfOtherHeadsNeedTheSizeOfAHead) {
  writer_.remove("llama.rope.dimension_count").remove("llama.attention.head_count");
  writer_.add("llama.rope.dimension_count", 16U);
  writer_.add_array("llama.attention.head_count", std::vector<std::int32_t>{2, 4});
  const std::string want =
      "layer 1 has 4 heads and layer 0 has 2 (llama.attention.head_count), so the size of a head "
      "must be given by llama.attention.key_length and llama.attention.value_length";
  EXPECT_EQ(error(), want);
  writer_.add("llama.attention.key_length", 32U);
  EXPECT_EQ(error(), want);
  writer_.add("llama.attention.value_length", 24U);
  const Hparams hp = load();
  EXPECT_EQ(hp.layers[1].n_head, 4);
  EXPECT_EQ(hp.layers[1].head_dim_k, 32);
  EXPECT_EQ(hp.layers[1].head_dim_v, 24);
}

TEST_F(HparamsTest, YarnsMagnitudeMayGrowByLess) {
  writer_ = tiny_model({.rope_scaling = "yarn"});
  EXPECT_EQ(load().ropes[0].yarn_magnitude_scale, 1.0F);
  writer_.add("llama.rope.scaling.yarn_log_multiplier", 1.0F);
  EXPECT_NEAR(load().ropes[0].yarn_magnitude_scale, 0, 1e-6);
  writer_.remove("llama.rope.scaling.yarn_log_multiplier");
  writer_.add("llama.rope.scaling.yarn_log_multiplier", -1.0F);
  EXPECT_EQ(error(), "key llama.rope.scaling.yarn_log_multiplier is -1, expected 0 or more");
}

TEST_F(HparamsTest, ReadsRopeScaling) {
  writer_ = tiny_model({.rope_scaling = "yarn"});
  writer_.add("llama.rope.scaling.attn_factor", 1.5F);
  writer_.add("llama.rope.scaling.yarn_beta_fast", 16.0F);
  Hparams hp = load();
  EXPECT_EQ(hp.ropes[0].scaling, RopeScaling::yarn);
  EXPECT_EQ(hp.ropes[0].scale_factor, 4.0F);
  EXPECT_EQ(hp.ropes[0].n_ctx_orig, 32);
  EXPECT_EQ(hp.ropes[0].attn_factor, 1.5F);
  EXPECT_EQ(hp.ropes[0].yarn_beta_fast, 16.0F);
  EXPECT_EQ(hp.ropes[0].yarn_beta_slow, 1.0F);
  writer_.remove("llama.rope.scaling.original_context_length");
  EXPECT_EQ(load().ropes[0].n_ctx_orig, 512);
  writer_.remove("llama.rope.scaling.type");  // as files older than the key: linear
  hp = load();
  EXPECT_EQ(hp.ropes[0].scaling, RopeScaling::linear);
  EXPECT_EQ(hp.ropes[0].scale_factor, 4.0F);
  writer_.add("llama.rope.scaling.type", "none");
  EXPECT_EQ(load().ropes[0].scale_factor, 1.0F);
}

TEST_F(HparamsTest, RefusesAnUnknownArchitecture) {
  EXPECT_EQ(error_with("general.architecture",
                       "mam\x1b"
                       "ba"),
            "unknown architecture \"mam\\x1bba\"; known: " + known_architectures());
  EXPECT_EQ(error_with("general.architecture", ""),
            "unknown architecture \"\"; known: " + known_architectures());
  EXPECT_EQ(error_without("general.architecture"), "key general.architecture is missing");
}

TEST_F(HparamsTest, NamesAMissingKey) {
  for (const char* key : {"llama.context_length", "llama.embedding_length", "llama.block_count",
                          "llama.feed_forward_length", "llama.attention.head_count",
                          "llama.attention.layer_norm_rms_epsilon"}) {
    EXPECT_EQ(error_without(key), std::string("key ") + key + " is missing");
  }
}

TEST_F(HparamsTest, RefusesSizesThatMakeNoSense) {
  for (const char* key : {"llama.context_length", "llama.embedding_length", "llama.block_count",
                          "llama.feed_forward_length", "llama.attention.head_count",
                          "llama.attention.head_count_kv", "llama.attention.key_length",
                          "llama.attention.value_length", "llama.rope.dimension_count"}) {
    for (const std::uint32_t value : {0U, 1U << 31, ~0U}) {
      EXPECT_THAT(error_with(key, value),
                  testing::StartsWith(std::string("key ") + key + " is " + std::to_string(value) +
                                      ", expected 1 to "));
    }
    EXPECT_THAT(error_with(key, "many"), EndsWith("is a string, expected an integer"));
  }
}

TEST_F(HparamsTest, HeadsMustDivide) {
  EXPECT_EQ(error_with("llama.attention.head_count", 3U),
            "key llama.attention.head_count is 3, expected a divisor of the embedding length 64");
  EXPECT_EQ(error_with("llama.attention.head_count_kv", 4U),
            "key llama.attention.head_count_kv is 4, expected a divisor of the 2 heads");
  EXPECT_EQ(error_with("llama.rope.dimension_count", 31U),
            "key llama.rope.dimension_count is 31, expected an even number");
  EXPECT_EQ(error_with("llama.rope.dimension_count", 34U),
            "key llama.rope.dimension_count is 34, expected 1 to 32");
}

TEST_F(HparamsTest, ConstantsMustBePositive) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const char* key : {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base",
                          "llama.rope.scaling.factor"}) {
    for (const float value : {0.0F, -1.0F, kInfinity, std::nanf("")}) {
      EXPECT_THAT(error_with(key, value), EndsWith(", expected a positive number"));
    }
  }
  EXPECT_EQ(error_with("llama.rope.scaling.type", "dynamic"),
            "key llama.rope.scaling.type is \"dynamic\", expected none, linear, yarn or longrope");
}

TEST_F(HparamsTest, YarnNeedsABaseAboveOne) {
  writer_ = tiny_model({.rope_scaling = "yarn"});
  writer_.remove("llama.rope.freq_base").add("llama.rope.freq_base", 1.0F);
  EXPECT_EQ(error(), "key llama.rope.freq_base is 1, expected more than 1 for yarn");
}

TEST_F(HparamsTest, NeedsTheEmbedding) {
  writer_.tensors()[0].name = "other";
  EXPECT_EQ(error(), "tensor token_embd.weight is missing");
  writer_.tensors()[0].name = "token_embd.weight";
  writer_.tensors()[0].shape = {64 * 300};
  EXPECT_EQ(error(), "tensor token_embd.weight has 0 rows, expected 1 to 16777216");
}

class ExpertHparamsTest : public testing::Test {
 public:
  template <typename T>
  ExpertHparamsTest& set(const std::string& name, const T& value) {
    writer_.remove("llama." + name).add("llama." + name, value);
    return *this;
  }

  Hparams load(DefaultExpertWidth width = DefaultExpertWidth::whole_layer) {
    writer_.write(folder_ / "m.gguf");
    const Gguf gguf(folder_ / "m.gguf");
    const KeyReader keys(gguf, "llama");
    Hparams hp;
    hp.layers.resize(3);
    for (LayerHparams& layer : hp.layers) layer.n_ff = 96;
    read_experts(keys, hp, width);
    read_expert_weighting(keys, hp);
    return hp;
  }

  std::string error() {
    const std::string message = error_of([&] { load(); });
    const std::string start = folder_ / "m.gguf: ";
    return message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
  }

  TemporaryFolder folder_;
  GgufWriter writer_ = tiny_model({.n_expert = 8, .n_expert_used = 4});
};

TEST_F(ExpertHparamsTest, ReadsCountsAndMakesMixturesOfAllLayers) {
  set("expert_feed_forward_length", 40U);
  const Hparams hp = load();
  EXPECT_EQ(hp.experts.n_expert, 8);
  EXPECT_EQ(hp.experts.n_expert_used, 4);
  EXPECT_EQ(hp.experts.n_ff, 40);
  EXPECT_EQ(hp.experts.n_ff_shared, 0);
  EXPECT_EQ(hp.experts.n_group, 1);
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax);
  EXPECT_FALSE(hp.experts.normalise_weights);
  EXPECT_EQ(hp.experts.weights_scale, 1.0F);
  for (const LayerHparams& layer : hp.layers) EXPECT_TRUE(layer.has_experts);
}

TEST_F(ExpertHparamsTest, WidthComesFromTheLayerWithoutAKey) {
  writer_.remove("llama.expert_feed_forward_length");
  EXPECT_EQ(load(DefaultExpertWidth::whole_layer).experts.n_ff, 96);
  EXPECT_EQ(load(DefaultExpertWidth::share_of_layer).experts.n_ff, 24);
}

TEST_F(ExpertHparamsTest, ReadsHowWeightsAreMade) {
  set("expert_weights_norm", true).set("expert_weights_scale", 2.5F).set("expert_gating_func", 2U);
  Hparams hp = load();
  EXPECT_TRUE(hp.experts.normalise_weights);
  EXPECT_EQ(hp.experts.weights_scale, 2.5F);
  EXPECT_EQ(hp.experts.gating, ExpertGating::sigmoid);
  // A scale of 0 stands for none.
  set("expert_weights_scale", 0.0F).set("expert_gating_func", 3U);
  hp = load();
  EXPECT_EQ(hp.experts.weights_scale, 1.0F);
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax_of_chosen);
  EXPECT_EQ(set("expert_gating_func", 1U).load().experts.gating, ExpertGating::softmax);
}

TEST_F(ExpertHparamsTest, ReadsGroups) {
  set("expert_group_count", 4U).set("expert_group_used_count", 2U);
  EXPECT_EQ(load().experts.n_group, 4);
  EXPECT_EQ(load().experts.n_group_used, 2);
  set("expert_group_count", 1U);
  EXPECT_EQ(load().experts.n_group_used, 1);
}

TEST_F(ExpertHparamsTest, RefusesCountsThatMakeNoSense) {
  set("expert_used_count", 9U);
  EXPECT_EQ(error(), "key llama.expert_used_count is 9, expected 1 to 8");
  set("expert_used_count", 0U);
  EXPECT_EQ(error(), "key llama.expert_used_count is 0, expected 1 to 8");
  writer_.remove("llama.expert_used_count");
  EXPECT_EQ(error(), "key llama.expert_used_count is missing");
  set("expert_count", 1025U);
  EXPECT_EQ(error(), "key llama.expert_count is 1025, expected 1 to 1024");
  set("expert_count", 0U);
  EXPECT_EQ(error(), "key llama.expert_count is 0, expected 1 to 1024");
}

TEST_F(ExpertHparamsTest, RefusesWidthsAndWeightingThatMakeNoSense) {
  set("expert_feed_forward_length", 0U);
  EXPECT_EQ(error(), "key llama.expert_feed_forward_length is 0, expected 1 to 1048576");
  set("expert_feed_forward_length", 8U).set("expert_gating_func", 4U);
  EXPECT_EQ(error(),
            "key llama.expert_gating_func is 4, expected 1 (softmax), 2 (sigmoid) or 3 (softmax of "
            "the chosen)");
  set("expert_gating_func", 1U).set("expert_weights_scale", std::numeric_limits<float>::infinity());
  EXPECT_EQ(error(), "key llama.expert_weights_scale is inf, expected a finite number");
}

TEST_F(ExpertHparamsTest, RefusesGroupsThatDoNotFit) {
  set("expert_group_count", 3U).set("expert_group_used_count", 1U);
  EXPECT_EQ(error(),
            "key llama.expert_group_count is 3, expected groups of equal size, of 2 or more of the "
            "8 experts");
  set("expert_group_count", 8U);
  EXPECT_THAT(error(), testing::StartsWith("key llama.expert_group_count is 8, expected"));
  set("expert_group_count", 4U);
  EXPECT_EQ(error(),
            "key llama.expert_group_used_count is 1, expected groups with room for the 4 experts "
            "used");
  set("expert_group_used_count", 5U);
  EXPECT_EQ(error(), "key llama.expert_group_used_count is 5, expected 1 to 4");
  writer_.remove("llama.expert_group_used_count");
  EXPECT_EQ(error(), "key llama.expert_group_used_count is missing");
}

}  // namespace
}  // namespace confab::engine
