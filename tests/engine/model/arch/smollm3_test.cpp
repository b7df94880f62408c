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
  GgufWriter writer = tiny_model({.architecture = "smollm3", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(SmolLm3Test, EveryFourthLayerDoesNotRotate) {
  const Hparams hp = load(9);
  for (std::size_t il = 0; il < 9; ++il) {
    EXPECT_EQ(hp.layers[il].rope, il == 3 || il == 7 ? kNoRope : 0) << il;
  }
  EXPECT_TRUE(hp.ropes[0].interleaved);
}

}  // namespace
}  // namespace confab::engine
