// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <functional>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

// Two layers of 64, 2 heads; keys as older files have them: 24 + 8 values of a key, 16 of a value.
Hparams load(const std::function<void(GgufWriter&)>& change = {}) {
  const TemporaryFolder folder;
  GgufWriter writer = tiny_model({.architecture = "deepseek2", .n_head_kv = 2});
  writer.remove("deepseek2.rope.dimension_count").add("deepseek2.rope.dimension_count", 8U);
  writer.add("deepseek2.attention.kv_lora_rank", 40U);
  writer.add("deepseek2.attention.key_length", 32U).add("deepseek2.attention.value_length", 16U);
  writer.add("deepseek2.leading_dense_block_count", 2U);
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

void expect_sizes(const Hparams& hp) {
  EXPECT_EQ(hp.latent.kv_rank, 40);
  EXPECT_EQ(hp.latent.head_dim_nope, 24);
  EXPECT_EQ(hp.latent.head_dim_v, 16);
  EXPECT_EQ(hp.ropes[0].offset, 40);
  for (const LayerHparams& layer : hp.layers) {
    EXPECT_EQ(layer.n_head, 2);
    EXPECT_EQ(layer.n_head_kv, 1);
    EXPECT_EQ(layer.head_dim_k, 48);
    EXPECT_EQ(layer.head_dim_v, 40);
  }
}

TEST(DeepSeek2Test, OlderFilesGiveTheSizesOfAHead) {
  const Hparams hp = load();
  expect_sizes(hp);
  EXPECT_EQ(hp.latent.q_rank, 0);
}

TEST(DeepSeek2Test, NewerFilesGiveTheSizesOfTheCache) {
  expect_sizes(load([](GgufWriter& writer) {
    writer.remove("deepseek2.attention.head_count_kv").add("deepseek2.attention.head_count_kv", 1U);
    writer.remove("deepseek2.attention.key_length").add("deepseek2.attention.key_length", 48U);
    writer.remove("deepseek2.attention.value_length").add("deepseek2.attention.value_length", 40U);
    writer.add("deepseek2.attention.key_length_mla", 32U);
    writer.add("deepseek2.attention.value_length_mla", 16U);
  }));
}

TEST(DeepSeek2Test, YarnLengthensTheScores) {
  const auto yarn = [](float log_multiplier) {
    return load([=](GgufWriter& writer) {
      writer.add("deepseek2.rope.scaling.type", "yarn").add("deepseek2.rope.scaling.factor", 4.0F);
      if (log_multiplier > 0) {
        writer.add("deepseek2.rope.scaling.yarn_log_multiplier", log_multiplier);
      }
    });
  };
  EXPECT_NEAR(load().attn_scale, 0.1767767, 1e-6);  // 1 / sqrt(32)
  const Hparams told = yarn(0.0707F);
  EXPECT_EQ(told.ropes[0].yarn_magnitude_scale, 0);
  EXPECT_NEAR(told.attn_scale, 0.2131272, 1e-6);  // (1 + 0.0707 ln 4)^2 / sqrt(32)
  const Hparams untold = yarn(0);
  EXPECT_EQ(untold.ropes[0].yarn_magnitude_scale, 1);
  EXPECT_NEAR(untold.attn_scale, 0.2291869, 1e-6);  // (1 + 0.1 ln 4)^2 / sqrt(32)
}

TEST(DeepSeek2Test, RefusesAHeadThatIsAllRotated) {
  const auto rotated = [](GgufWriter& writer) {
    writer.remove("deepseek2.rope.dimension_count").add("deepseek2.rope.dimension_count", 32U);
  };
  EXPECT_THAT(error_of([&] { load(rotated); }),
              HasSubstr("key deepseek2.rope.dimension_count is 32, expected less than the 32 of a "
                        "head"));
}

TEST(DeepSeek2Test, ExpertsFollowTheLeadingLayers) {
  const Hparams hp = load([](GgufWriter& writer) {
    writer.add("deepseek2.expert_count", 8U).add("deepseek2.expert_used_count", 2U);
    writer.add("deepseek2.expert_feed_forward_length", 16U);
    writer.add("deepseek2.expert_shared_count", 3U).add("deepseek2.expert_weights_scale", 2.5F);
    writer.add("deepseek2.expert_weights_norm", true).add("deepseek2.expert_gating_func", 2U);
    writer.add("deepseek2.expert_group_count", 4U).add("deepseek2.expert_group_used_count", 2U);
    writer.remove("deepseek2.leading_dense_block_count");
    writer.add("deepseek2.leading_dense_block_count", 1U);
  });
  EXPECT_FALSE(hp.layers[0].has_experts);
  EXPECT_TRUE(hp.layers[1].has_experts);
  EXPECT_EQ(hp.experts.n_ff, 16);
  EXPECT_EQ(hp.experts.n_ff_shared, 48);
  EXPECT_FALSE(hp.experts.shared_gate);
  EXPECT_EQ(hp.experts.gating, ExpertGating::sigmoid);
  EXPECT_EQ(hp.experts.weights_scale, 2.5F);
  EXPECT_EQ(hp.experts.n_group, 4);
}

}  // namespace
}  // namespace confab::engine
