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
  GgufWriter writer = tiny_model({.architecture = "gemma3", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Gemma3Test, LocalLayersRotateInAWayOfTheirOwn) {
  const Hparams hp = load(6, [](GgufWriter& writer) {
    writer.add("gemma3.attention.sliding_window", 16U);
    writer.remove("gemma3.rope.freq_base").add("gemma3.rope.freq_base", 1e6F);
    writer.add("gemma3.rope.scaling.type", "linear").add("gemma3.rope.scaling.factor", 8.0F);
    writer.add("gemma3.rope.scaling.attn_factor", 1.5F);
  });
  for (std::size_t il = 0; il < 6; ++il) {
    EXPECT_EQ(hp.layers[il].window, il < 5 ? 16 : 0) << il;
    EXPECT_EQ(hp.layers[il].rope, il < 5 ? 1 : 0) << il;
  }
  EXPECT_EQ(hp.ropes[0].freq_base, 1e6F);
  EXPECT_EQ(hp.ropes[0].scale_factor, 8.0F);
  EXPECT_EQ(hp.ropes[1].freq_base, 1e4F);
  EXPECT_EQ(hp.ropes[1].scale_factor, 1.0F);
  EXPECT_EQ(hp.ropes[1].attn_factor, 1.5F);
  EXPECT_EQ(hp.qk_norm, QkNorm::head);
  EXPECT_EQ(hp.attn_softcap, 0.0F);
}

TEST(Gemma3Test, WithoutAWindowAllLayersAreAlike) {
  for (const LayerHparams& layer : load(6).layers) EXPECT_EQ(layer.rope, 0);
}

}  // namespace
}  // namespace confab::engine
