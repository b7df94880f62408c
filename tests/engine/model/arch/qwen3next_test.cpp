// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/cpu/run_model.h"

namespace confab::engine {
namespace {

TEST(Qwen3NextTest, EveryLayerHasExpertsAndMostAreRecurrent) {
  const Gguf gguf(CONFAB_SOURCE_DIR "/tests/data/arch/qwen3next/model.gguf");
  const Hparams hp = Hparams::load(gguf);
  ASSERT_EQ(hp.layers.size(), 3U);
  EXPECT_TRUE(hp.layers[0].recurrent);
  EXPECT_FALSE(hp.layers[1].recurrent);
  EXPECT_TRUE(hp.layers[2].recurrent);
  for (const LayerHparams& layer : hp.layers) EXPECT_TRUE(layer.has_experts);
  EXPECT_TRUE(hp.experts.normalise_weights);
  EXPECT_TRUE(hp.experts.shared_gate);
  EXPECT_EQ(hp.experts.n_ff_shared, 8);
  EXPECT_FALSE(hp.delta_net.tiled);
  EXPECT_TRUE(hp.attn_gate);
}

}  // namespace
}  // namespace confab::engine
