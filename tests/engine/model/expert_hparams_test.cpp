// SPDX-License-Identifier: MIT
#include "engine/model/expert_hparams.h"

#include <gmock/gmock.h>

#include <limits>

#include "engine/gguf/gguf.h"
#include "engine/gguf/key_reader.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

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
