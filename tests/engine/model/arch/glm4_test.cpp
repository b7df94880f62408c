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
  GgufWriter writer = tiny_model({.architecture = "glm4", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Glm4Test, LeavesOutTheLayersThatPredict) {
  const Hparams hp =
      load(3, [](GgufWriter& writer) { writer.add("glm4.nextn_predict_layers", 1U); });
  EXPECT_EQ(hp.n_layer, 2);
  EXPECT_EQ(hp.layers.size(), 2U);
  EXPECT_TRUE(hp.fused_gate_up);
  EXPECT_TRUE(hp.post_norms);
  EXPECT_TRUE(hp.pre_norms);
}

TEST(Glm4Test, RefusesPositionsInImages) {
  EXPECT_NE(
      error_of([] {
        load(2, [](GgufWriter& writer) {
          writer.add_array("glm4.rope.dimension_sections", std::vector<std::int32_t>{8, 12, 12});
        });
      }).find("rope.dimension_sections"),
      std::string::npos);
}

}  // namespace
}  // namespace confab::engine
