// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(GptOssTest, SlidesOnEveryOtherLayerWithSinksBiasesAndItsOwnActivation) {
  const TemporaryFolder folder;
  tiny_model({.architecture = "gpt-oss", .n_layer = 3, .n_expert = 4})
      .add("gpt-oss.attention.sliding_window", std::uint32_t{16})
      .add("gpt-oss.rope.freq_base_swa", 5000.0F)
      .write(folder / "m.gguf");
  const Hparams hp = Hparams::load(Gguf(folder / "m.gguf"));
  EXPECT_EQ(hp.layers[0].window, 16);
  EXPECT_EQ(hp.layers[1].window, 0);
  EXPECT_EQ(hp.layers[2].window, 16);
  EXPECT_EQ(hp.layers[0].rope, 1);
  EXPECT_EQ(hp.layers[1].rope, 0);
  EXPECT_EQ(hp.ropes[1].freq_base, 5000.0F);
  EXPECT_TRUE(hp.attn_sinks);
  EXPECT_TRUE(hp.has_qkv_bias);
  EXPECT_EQ(hp.activation, Activation::swiglu_oai);
  EXPECT_TRUE(hp.experts.has_biases);
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax_of_chosen);
  EXPECT_FALSE(hp.experts.normalise_weights);
}

}  // namespace
}  // namespace confab::engine
