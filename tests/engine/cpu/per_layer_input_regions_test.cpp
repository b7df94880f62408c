// SPDX-License-Identifier: MIT
// What Gemma 4 adds to its layers changes what the golden models say (see
// attention_regions_test.cpp).
#include <gtest/gtest.h>

#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

TEST(PerLayerInputRegionsTest, InputsOfLayersMatter) {
  EXPECT_GT(loss_without("gemma4", [](Model& m) { m.hparams.n_embd_per_layer = 0; }), kVisible);
}

TEST(PerLayerInputRegionsTest, ScalesOfLayersMatter) {
  EXPECT_GT(loss_without("gemma4",
                         [](Model& m) {
                           for (LayerWeights& layer : m.weights.layers) {
                             layer.output_scale = nullptr;
                           }
                         }),
            kVisible);
}

TEST(PerLayerInputRegionsTest, NormedValuesMatter) {
  EXPECT_GT(loss_without("gemma4", [](Model& m) { m.hparams.v_norm = false; }), kVisible);
}

}  // namespace
}  // namespace confab::engine
