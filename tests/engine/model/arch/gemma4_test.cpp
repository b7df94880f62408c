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

// Six layers: two local ones to one that sees everything.
Hparams load(const std::function<void(GgufWriter&)>& change = {}) {
  const TemporaryFolder folder;
  GgufWriter writer = tiny_model({.architecture = "gemma4", .n_layer = 6});
  writer.add("gemma4.attention.sliding_window", 16U);
  writer.add_array("gemma4.attention.sliding_window_pattern",
                   std::vector<bool>{true, true, false, true, true, false});
  writer.add("gemma4.attention.key_length_swa", 16U).add("gemma4.attention.value_length_swa", 16U);
  writer.add("gemma4.rope.dimension_count_swa", 16U);
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Gemma4Test, LocalLayersHaveHeadsOfTheirOwn) {
  const Hparams hp = load();
  for (std::size_t il = 0; il < 6; ++il) {
    const bool local = il % 3 != 2;
    EXPECT_EQ(hp.layers[il].window, local ? 16 : 0) << il;
    EXPECT_EQ(hp.layers[il].head_dim_k, local ? 16 : 32) << il;
    EXPECT_EQ(hp.layers[il].rope, local ? 1 : 0) << il;
    EXPECT_EQ(hp.layers[il].kv_layer, -1) << il;
  }
  EXPECT_TRUE(hp.ropes[0].freq_factors);
  EXPECT_FALSE(hp.ropes[1].freq_factors);
  EXPECT_EQ(hp.ropes[1].n_rot, 16);
  EXPECT_EQ(hp.score_scale(hp.layers[0]), 1.0F);
}

TEST(Gemma4Test, LateLayersUseTheKeysOfTheLastOfTheirKind) {
  const Hparams hp =
      load([](GgufWriter& writer) { writer.add("gemma4.attention.shared_kv_layers", 3U); });
  EXPECT_EQ(hp.layers[2].kv_layer, -1);
  EXPECT_EQ(hp.layers[3].kv_layer, 1);
  EXPECT_EQ(hp.layers[4].kv_layer, 1);
  EXPECT_EQ(hp.layers[5].kv_layer, 2);
}

TEST(Gemma4Test, ASharedLayerNeedsOneLikeIt) {
  const auto error = error_of([] {
    load([](GgufWriter& writer) { writer.add("gemma4.attention.shared_kv_layers", 4U); });
  });
  EXPECT_NE(error.find("key gemma4.attention.shared_kv_layers is 4"), std::string::npos) << error;
}

}  // namespace
}  // namespace confab::engine
