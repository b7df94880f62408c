// SPDX-License-Identifier: MIT
// Its logits: tests/engine/safetensors/family_config_test.cpp, of a folder and of a GGUF file.
#include <gtest/gtest.h>

#include "engine/model/hparams.h"
#include "engine/safetensors/open_model.h"
#include "tests/engine/gguf/quantized.h"
#include "tests/engine/safetensors/golden_families.h"

namespace confab::engine {
namespace {

TEST(Qwen35MoeTest, EveryLayerHasExpertsAndMostAreRecurrent) {
  const TempDir dir;
  golden::write_family(dir, golden::qwen35moe());
  const std::string made = (dir / "made.gguf").string();
  quantize(open_model_folder(dir.path().string()), made, "BF16");
  const Gguf gguf(made);
  EXPECT_EQ(gguf.find("qwen35moe.feed_forward_length"), nullptr);
  const Hparams hp = Hparams::load(gguf);
  ASSERT_EQ(hp.layers.size(), 3U);
  EXPECT_TRUE(hp.layers[0].recurrent);
  EXPECT_FALSE(hp.layers[1].recurrent);
  for (const LayerHparams& layer : hp.layers) EXPECT_TRUE(layer.has_experts);
  EXPECT_TRUE(hp.experts.normalise_weights);
  EXPECT_TRUE(hp.experts.shared_gate);
  EXPECT_EQ(hp.experts.n_ff_shared, 8);
  EXPECT_TRUE(hp.delta_net.tiled);
}

}  // namespace
}  // namespace confab::engine
