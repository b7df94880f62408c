// SPDX-License-Identifier: MIT
// Each thing that an architecture can do around its feed-forward changes what the golden models say
// (see attention_regions_test.cpp).
#include <gtest/gtest.h>

#include <utility>

#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

TEST(FeedForwardRegionsTest, TheActivationMatters) {
  EXPECT_GT(
      loss_without("gemma3-pattern", [](Model& m) { m.hparams.activation = Activation::silu; }),
      kVisible);
}

TEST(FeedForwardRegionsTest, TheOrderOfFusedMatricesMatters) {
  const auto swap = [](Model& m) {
    for (LayerWeights& layer : m.weights.layers) std::swap(layer.ffn_gate, layer.ffn_up);
  };
  EXPECT_GT(loss_without("glm4", swap), kVisible);
  EXPECT_GT(loss_without("phi3-longrope", swap), kVisible);
}

TEST(FeedForwardRegionsTest, NormsOfOutputsMatter) {
  for (const char* name : {"gemma3-pattern", "glm4", "olmo2"}) {
    EXPECT_GT(loss_without(name, [](Model& m) { m.hparams.post_norms = false; }), kVisible) << name;
  }
}

TEST(FeedForwardRegionsTest, PartsSideBySideMatter) {
  for (const char* name : {"command-r", "cohere2"}) {
    EXPECT_GT(loss_without(name, [](Model& m) { m.hparams.parallel = false; }), kVisible) << name;
  }
}

TEST(FeedForwardRegionsTest, MultipliersMatter) {
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.residual_scale = 1; }), kVisible);
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.embedding_scale = 1; }), kVisible);
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.logit_scale = 1; }), kVisible);
  EXPECT_GT(loss_without("gemma3-pattern", [](Model& m) { m.hparams.embedding_scale = 1; }),
            kVisible);
  EXPECT_GT(loss_without("gemma2-46-layers", [](Model& m) { m.hparams.logit_softcap = 0; }),
            kVisible);
}

TEST(FeedForwardRegionsTest, LayerNormIsNotRmsNorm) {
  EXPECT_GT(loss_without("command-r", [](Model& m) { m.hparams.norm = NormKind::rms; }), kVisible);
}

}  // namespace
}  // namespace confab::engine
