// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(Qwen3MoeTest, NormsHeadsAndNormalisesWeights) {
  const TinyModelFile file({.architecture = "qwen3moe", .n_expert = 8, .n_expert_used = 3});
  const Hparams hp = Hparams::load(Gguf(file.path()));
  EXPECT_FALSE(hp.ropes[0].interleaved);
  EXPECT_EQ(hp.qk_norm, QkNorm::head);
  EXPECT_EQ(hp.experts.n_expert_used, 3);
  EXPECT_EQ(hp.experts.n_ff_shared, 0);
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax);
  EXPECT_TRUE(hp.experts.normalise_weights);
}

}  // namespace
}  // namespace confab::engine
