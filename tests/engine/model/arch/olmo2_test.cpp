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
  GgufWriter writer = tiny_model({.architecture = "olmo2", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Olmo2Test, NormsOutputsAndWholeRows) {
  const Hparams hp = load(4);
  EXPECT_EQ(hp.qk_norm, QkNorm::row);
  EXPECT_FALSE(hp.pre_norms);
  EXPECT_TRUE(hp.post_norms);
  for (const LayerHparams& layer : hp.layers) EXPECT_EQ(layer.rope, 0);
}

TEST(Olmo2Test, LayersThatSlideRotateWithoutScaling) {
  const Hparams hp = load(4, [](GgufWriter& writer) {
    writer.add("olmo2.attention.sliding_window", 16U);
    writer.add("olmo2.rope.scaling.type", "yarn").add("olmo2.rope.scaling.factor", 8.0F);
    writer.add("olmo2.rope.scaling.attn_factor", 1.2F);
  });
  for (std::size_t il = 0; il < 4; ++il) {
    EXPECT_EQ(hp.layers[il].window, il < 3 ? 16 : 0) << il;
    EXPECT_EQ(hp.layers[il].rope, il < 3 ? 1 : 0) << il;
  }
  EXPECT_EQ(hp.ropes[0].scaling, RopeScaling::yarn);
  EXPECT_EQ(hp.ropes[1].scaling, RopeScaling::none);
  EXPECT_EQ(hp.ropes[1].attn_factor, 1.0F);
}

}  // namespace
}  // namespace confab::engine
