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
  GgufWriter writer = tiny_model({.architecture = "command-r", .n_layer = n_layer});
  writer.remove("command-r.attention.layer_norm_rms_epsilon");
  writer.add("command-r.attention.layer_norm_epsilon", 1e-5F).add("command-r.logit_scale", 0.25F);
  if (change) change(writer);
  writer.write(folder / "m.gguf");
  return Hparams::load(Gguf(folder / "m.gguf"));
}

TEST(CommandRTest, OnlyTheLargeOneNormsQueriesAndKeys) {
  const Hparams hp = load(2);
  EXPECT_EQ(hp.qk_norm, QkNorm::none);
  EXPECT_EQ(hp.norm, NormKind::layer);
  EXPECT_TRUE(hp.parallel);
  EXPECT_EQ(hp.logit_scale, 0.25F);
  EXPECT_EQ(load(64).qk_norm, QkNorm::head);
}

}  // namespace
}  // namespace confab::engine
