// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(Qwen2Test, TurnsHalvesAndNeedsBiases) {
  const TinyModelFile file({.architecture = "qwen2"});
  const Hparams hp = Hparams::load(Gguf(file.path()));
  EXPECT_FALSE(hp.ropes[0].interleaved);
  EXPECT_TRUE(hp.has_qkv_bias);
}

}  // namespace
}  // namespace confab::engine
