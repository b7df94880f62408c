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
  GgufWriter writer = tiny_model({.architecture = "cohere2", .n_layer = n_layer});
  writer.remove("cohere2.attention.layer_norm_rms_epsilon");
  writer.add("cohere2.attention.layer_norm_epsilon", 1e-5F).add("cohere2.logit_scale", 0.25F);
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Cohere2Test, OnlyLayersThatSlideRotate) {
  const Hparams hp =
      load(8, [](GgufWriter& writer) { writer.add("cohere2.attention.sliding_window", 16U); });
  for (std::size_t il = 0; il < 8; ++il) {
    const bool slides = il % 4 != 3;
    EXPECT_EQ(hp.layers[il].window, slides ? 16 : 0) << il;
    EXPECT_EQ(hp.layers[il].rope, slides ? 0 : kNoRope) << il;
  }
  EXPECT_EQ(hp.norm, NormKind::layer);
  EXPECT_EQ(hp.norm_eps, 1e-5F);
  EXPECT_TRUE(hp.parallel);
  EXPECT_EQ(hp.logit_scale, 0.25F);
}

}  // namespace
}  // namespace confab::engine
