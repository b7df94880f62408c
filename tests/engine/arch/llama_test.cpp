// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "engine/arch/architecture.h"
#include "engine/gguf.h"
#include "engine/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(LlamaTest, TurnsNeighboursAndNeedsNoBiases) {
  const TinyModelFile file;
  const Hparams hp = Hparams::load(Gguf(file.path()));
  EXPECT_TRUE(hp.ropes[0].interleaved);
  EXPECT_FALSE(hp.has_qkv_bias);
}

TEST(LlamaTest, RefusesExperts) {
  const TemporaryFolder folder;
  tiny_model().add("llama.expert_count", std::uint32_t{8}).write(folder / "m.gguf");
  EXPECT_NE(error_of([&] { Hparams::load(Gguf(folder / "m.gguf")); }), "");
}

}  // namespace
}  // namespace confab::engine
