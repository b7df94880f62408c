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
  GgufWriter writer = tiny_model({.architecture = "gemma2", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Gemma2Test, EveryOtherLayerSlides) {
  const Hparams hp =
      load(4, [](GgufWriter& writer) { writer.add("gemma2.attention.sliding_window", 16U); });
  EXPECT_EQ(hp.layers[0].window, 16);
  EXPECT_EQ(hp.layers[1].window, 0);
  EXPECT_EQ(hp.layers[2].window, 16);
  EXPECT_EQ(load(2).layers[0].window, 4096);
}

TEST(Gemma2Test, LayersThatSlideMayHaveABaseOfTheirOwn) {
  EXPECT_EQ(load(2).layers[0].rope, 0);
  const Hparams hp =
      load(2, [](GgufWriter& writer) { writer.add("gemma2.rope.freq_base_swa", 5000.0F); });
  EXPECT_EQ(hp.layers[0].rope, 1);
  EXPECT_EQ(hp.layers[1].rope, 0);
  EXPECT_EQ(hp.ropes[1].freq_base, 5000.0F);
  EXPECT_EQ(hp.ropes[1].n_rot, hp.ropes[0].n_rot);
  EXPECT_FALSE(hp.ropes[1].interleaved);
}

TEST(Gemma2Test, RefusesABaseThatDoesNotGrow) {
  const std::string error = error_of(
      [] { load(2, [](GgufWriter& writer) { writer.add("gemma2.rope.freq_base_swa", 1.0F); }); });
  EXPECT_NE(error.find("key gemma2.rope.freq_base_swa is 1, expected more than 1"),
            std::string::npos)
      << error;
}

TEST(Gemma2Test, ScalesAndCaps) {
  const Hparams hp =
      load(2, [](GgufWriter& writer) { writer.add("gemma2.attn_logit_softcapping", 20.0F); });
  EXPECT_EQ(hp.embedding_scale, 8.0F);  // sqrt(64)
  EXPECT_EQ(hp.attn_softcap, 20.0F);
  EXPECT_EQ(hp.logit_softcap, 30.0F);
  EXPECT_EQ(hp.activation, Activation::gelu);
  EXPECT_TRUE(hp.post_norms);
  EXPECT_FLOAT_EQ(hp.score_scale({.head_dim_k = 16}), 0.25F);
  EXPECT_FLOAT_EQ(load(46).score_scale({.head_dim_k = 16}), 0.176776695F);  // 1 / sqrt(64 / 2)
}

}  // namespace
}  // namespace confab::engine
