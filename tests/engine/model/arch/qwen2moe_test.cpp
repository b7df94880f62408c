// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

const TinyModelOptions kOptions{.architecture = "qwen2moe", .n_expert = 4, .n_ff_shared = 40};

TEST(Qwen2MoeTest, HasAGatedSharedExpertAndWeighsAsTheSoftmaxSays) {
  const TinyModelFile file(kOptions);
  const Hparams hp = Hparams::load(Gguf(file.path()));
  EXPECT_FALSE(hp.ropes[0].interleaved);
  EXPECT_TRUE(hp.has_qkv_bias);
  EXPECT_EQ(hp.experts.n_expert, 4);
  EXPECT_EQ(hp.experts.n_ff_shared, 40);
  EXPECT_TRUE(hp.experts.shared_gate);
  EXPECT_EQ(hp.experts.gating, ExpertGating::softmax);
  EXPECT_FALSE(hp.experts.normalise_weights);
}

TEST(Qwen2MoeTest, WidthsDefaultToTheLayers) {
  const TemporaryFolder folder;
  tiny_model(kOptions)
      .remove("qwen2moe.expert_feed_forward_length")
      .remove("qwen2moe.expert_shared_feed_forward_length")
      .write(folder / "m.gguf");
  const Hparams hp = Hparams::load(Gguf(folder / "m.gguf"));
  EXPECT_EQ(hp.experts.n_ff, 48);
  EXPECT_EQ(hp.experts.n_ff_shared, 96);
}

TEST(Qwen2MoeTest, NeedsExperts) {
  const TinyModelFile file({.architecture = "qwen2moe"});
  EXPECT_EQ(error_of([&] { Hparams::load(Gguf(file.path())); }),
            file.path() + ": key qwen2moe.expert_count is missing");
}

}  // namespace
}  // namespace confab::engine
