// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(LlamaTest, TurnsNeighboursAndNeedsNoBiases) {
  const TinyModelFile file;
  const Hparams hp = Hparams::load(Gguf(file.path()));
  EXPECT_TRUE(hp.ropes[0].interleaved);
  EXPECT_FALSE(hp.has_qkv_bias);
}

TEST(LlamaTest, MayHaveExperts) {
  const TinyModelFile file({.n_expert = 8});
  const Hparams hp = Hparams::load(Gguf(file.path()));
  EXPECT_EQ(hp.experts.n_expert, 8);
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax);
  EXPECT_TRUE(hp.experts.normalise_weights);
  EXPECT_TRUE(hp.layers[0].has_experts);
}

TEST(LlamaTest, ACountOfZeroMeansNoExperts) {
  const TemporaryFolder folder;
  tiny_model().add("llama.expert_count", std::uint32_t{0}).write(folder / "m.gguf");
  EXPECT_FALSE(Hparams::load(Gguf(folder / "m.gguf")).layers[0].has_experts);
}

}  // namespace
}  // namespace confab::engine
