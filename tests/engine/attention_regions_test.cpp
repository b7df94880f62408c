// SPDX-License-Identifier: MIT
// Each thing that an architecture can do to its attention changes what the golden models say: the
// golden logits (forward_golden_test.cpp) fail when it is taken out.
#include <gtest/gtest.h>

#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

void see_everything(Model& model) {
  for (LayerHparams& layer : model.hparams.layers) layer.window = 0;
}
void rotate_all_alike(Model& model) {
  for (LayerHparams& layer : model.hparams.layers) layer.rope = 0;
}
void do_not_norm_queries(Model& model) {
  model.hparams.qk_norm = QkNorm::none;
}

TEST(AttentionRegionsTest, SlidingWindowsMatter) {
  for (const char* name : {"gemma2-46-layers", "gemma3-pattern", "cohere2", "olmo3"}) {
    EXPECT_GT(loss_without(name, see_everything), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, SoftCapsOfScoresMatter) {
  EXPECT_GT(loss_without("gemma2-46-layers", [](Model& m) { m.hparams.attn_softcap = 0; }),
            kVisible);
}

TEST(AttentionRegionsTest, NormsOfQueriesAndKeysMatter) {
  for (const char* name : {"gemma3-pattern", "qwen3-wide-heads", "command-r-64-layers", "olmo2"}) {
    EXPECT_GT(loss_without(name, do_not_norm_queries), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, NormsOfWholeRowsAreNotThoseOfHeads) {
  EXPECT_GT(loss_without("olmo2", [](Model& m) { m.hparams.qk_norm = QkNorm::head; }), kVisible);
}

TEST(AttentionRegionsTest, LayersThatDoNotRotateMatter) {
  for (const char* name : {"smollm3-untied", "cohere2"}) {
    EXPECT_GT(loss_without(name, rotate_all_alike), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, RotationsOfALayersOwnMatter) {
  for (const char* name : {"gemma3-pattern", "olmo3"}) {
    EXPECT_GT(loss_without(name, rotate_all_alike), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, PartialRotationMatters) {
  EXPECT_GT(loss_without("glm4", [](Model& m) { m.hparams.ropes[0].n_rot *= 2; }), kVisible);
}

TEST(AttentionRegionsTest, QueriesThatGrowMatter) {
  EXPECT_GT(
      loss_without("mistral3-temperature", [](Model& m) { m.hparams.attn_temperature_scale = 0; }),
      kVisible);
}

TEST(AttentionRegionsTest, ScalesOfScoresMatter) {
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.attn_scale = 0; }), kVisible);
  EXPECT_GT(loss_without("gemma3-62-layers", [](Model& m) { m.hparams.attn_scale = 0; }), kVisible);
}

}  // namespace
}  // namespace confab::engine
