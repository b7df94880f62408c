// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

Hparams load(const std::function<void(GgufWriter&)>& change = {}) {
  const TemporaryFolder folder;
  GgufWriter writer = tiny_model({.architecture = "glm4moe", .n_layer = 3, .n_expert = 4});
  writer.add("glm4moe.leading_dense_block_count", 1U).add("glm4moe.expert_shared_count", 2U);
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"), NextnHead::kept);
}

TEST(Glm4MoeTest, LeadingLayersHaveNoExperts) {
  const Hparams hp = load();
  EXPECT_FALSE(hp.layers[0].has_experts);
  EXPECT_TRUE(hp.layers[1].has_experts);
  EXPECT_EQ(hp.experts.n_ff_shared, 2 * 96);
  EXPECT_FALSE(hp.ropes[0].interleaved);
  EXPECT_EQ(hp.qk_norm, QkNorm::none);
}

TEST(Glm4MoeTest, TheLargerOnesNormQueriesAndKeys) {
  const std::vector<float> ones(32, 1.0F);
  const Hparams hp =
      load([&](GgufWriter& writer) { writer.add_tensor("blk.0.attn_q_norm.weight", {32}, ones); });
  EXPECT_EQ(hp.qk_norm, QkNorm::head);
}

TEST(Glm4MoeTest, ExpertsAreWeighedBySigmoidsUnlessTheFileSaysOtherwise) {
  EXPECT_EQ(load().experts.gating, ExpertGating::sigmoid);
  const Hparams hp = load([](GgufWriter& w) { w.add("glm4moe.expert_gating_func", 1U); });
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax);
}

// Files that were made smaller have the key, but not the layer.
TEST(Glm4MoeTest, AHeadIsKeptWhereItsTensorsAre) {
  const auto with_key = [](GgufWriter& writer) { writer.add("glm4moe.nextn_predict_layers", 1U); };
  const Hparams without = load(with_key);
  EXPECT_EQ(without.n_layer, 2);
  EXPECT_FALSE(without.has_nextn_head());
  const std::vector<float> zeros(128 * 64);
  const Hparams with = load([&](GgufWriter& writer) {
    with_key(writer);
    writer.add_tensor("blk.2.nextn.eh_proj.weight", {128, 64}, zeros);
  });
  EXPECT_EQ(with.n_layer, 2);
  EXPECT_TRUE(with.has_nextn_head());
  EXPECT_TRUE(with.layers[2].has_experts);
}

TEST(Glm4MoeTest, RefusesPositionsInImages) {
  const auto with_sections = [](GgufWriter& writer) {
    writer.add_array("glm4moe.rope.dimension_sections", std::vector<std::int32_t>{8, 12, 12});
  };
  EXPECT_NE(error_of([&] { load(with_sections); }).find("rope.dimension_sections"),
            std::string::npos);
}

}  // namespace
}  // namespace confab::engine
