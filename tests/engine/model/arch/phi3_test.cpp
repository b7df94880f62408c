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
  GgufWriter writer = tiny_model({.architecture = "phi3", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Phi3Test, MatricesAreFusedAndWindowsLeftAside) {
  const Hparams hp = load(2, [](GgufWriter& writer) {
    writer.add("phi3.attention.sliding_window", 16U);
    writer.add("phi3.rope.scaling.original_context_length", 128U);
    writer.add("phi3.rope.scaling.attn_factor", 1.19F);
  });
  EXPECT_TRUE(hp.fused_gate_up);
  EXPECT_FALSE(hp.ropes[0].interleaved);
  EXPECT_EQ(hp.ropes[0].n_ctx_orig, 128);
  EXPECT_EQ(hp.ropes[0].attn_factor, 1.19F);
  EXPECT_EQ(hp.layers[0].window, 0);
}

}  // namespace
}  // namespace confab::engine
