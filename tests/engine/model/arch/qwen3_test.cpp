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
  GgufWriter writer = tiny_model({.architecture = "qwen3", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Qwen3Test, NormsEachHead) {
  const Hparams hp = load(2);
  EXPECT_EQ(hp.qk_norm, QkNorm::head);
  EXPECT_EQ(hp.norm, NormKind::rms);
  EXPECT_FALSE(hp.ropes[0].interleaved);
  EXPECT_FALSE(hp.has_qkv_bias);
}

}  // namespace
}  // namespace confab::engine
