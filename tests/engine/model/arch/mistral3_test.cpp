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
  GgufWriter writer = tiny_model({.architecture = "mistral3", .n_layer = n_layer});
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(Mistral3Test, QueriesGrowByTheOriginalContext) {
  EXPECT_EQ(load(2).attn_temperature_scale, 0.0F);
  const Hparams hp = load(2, [](GgufWriter& writer) {
    writer.add("mistral3.attention.temperature_scale", 0.1F);
    writer.add("mistral3.rope.scaling.original_context_length", 16U);
  });
  EXPECT_EQ(hp.attn_temperature_scale, 0.1F);
  EXPECT_EQ(hp.attn_temperature_length, 16);
}

}  // namespace
}  // namespace confab::engine
