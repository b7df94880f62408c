// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

Hparams load(std::uint32_t n_layer, const std::function<void(GgufWriter&)>& change = {}) {
  const TemporaryFolder folder;
  GgufWriter writer = tiny_model({.architecture = "granite", .n_layer = n_layer});
  writer.add("granite.logit_scale", 8.0F);
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(GraniteTest, ReadsItsMultipliers) {
  const Hparams hp = load(2, [](GgufWriter& writer) {
    writer.add("granite.embedding_scale", 12.0F).add("granite.residual_scale", 0.22F);
    writer.add("granite.attention.scale", 0.015625F);
  });
  EXPECT_EQ(hp.embedding_scale, 12.0F);
  EXPECT_EQ(hp.residual_scale, 0.22F);
  EXPECT_EQ(hp.score_scale({.head_dim_k = 16}), 0.015625F);
  EXPECT_EQ(hp.logit_scale, 0.125F);
}

TEST(GraniteTest, MayNotRotateAtAll) {
  EXPECT_EQ(load(2).layers[1].rope, 0);
  const Hparams hp =
      load(2, [](GgufWriter& writer) { writer.add("granite.rope.scaling.finetuned", false); });
  for (const LayerHparams& layer : hp.layers) EXPECT_EQ(layer.rope, kNoRope);
}

TEST(GraniteTest, TheOneWithExpertsHasItsOwnName) {
  const TemporaryFolder folder;
  tiny_model({.architecture = "granitemoe", .n_expert = 4, .n_ff_shared = 24})
      .add("granitemoe.logit_scale", 8.0F)
      .write(folder / "m.gguf");
  const Hparams hp = Hparams::load(Gguf(folder / "m.gguf"));
  EXPECT_EQ(hp.logit_scale, 0.125F);
  EXPECT_EQ(hp.experts.n_expert, 4);
  EXPECT_EQ(hp.experts.n_ff_shared, 24);
  EXPECT_FALSE(hp.experts.shared_gate);
  EXPECT_TRUE(hp.experts.normalise_weights);
}

}  // namespace
}  // namespace confab::engine
