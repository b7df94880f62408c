// SPDX-License-Identifier: MIT
#include "engine/model/model_part.h"

#include <gtest/gtest.h>

#include "engine/model/layer_plan.h"
#include "engine/model/products.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(ModelPartTest, TwoPartsHaveAllLayersAndTheBytesOfTheWhole) {
  const TinyModelFile file({.n_layer = 5});
  const Model model = load_bare_model(file.path());
  for (int n = 1; n < 5; ++n) {
    const ModelPart first = first_layers(model, 5 - n), last = last_layers(model, n);
    EXPECT_EQ(misfit(Plan(first.hparams, first.weights)), "");
    EXPECT_EQ(misfit(Plan(last.hparams, last.weights)), "");
    EXPECT_EQ(first.hparams.n_layer + last.hparams.n_layer, 5);
    EXPECT_EQ(first.weights.layers.back().attn_q.rows.data,
              model.weights.layers[static_cast<std::size_t>(4 - n)].attn_q.rows.data);
    EXPECT_EQ(last.weights.layers.front().attn_q.rows.data,
              model.weights.layers[static_cast<std::size_t>(5 - n)].attn_q.rows.data);
    EXPECT_EQ(first.weights.output.n_rows, 0);
    EXPECT_EQ(last.weights.token_embd.n_rows, 0);
    const std::uint64_t both = first.weights.n_bytes + last.weights.n_bytes;
    EXPECT_LE(both, model.weights.n_bytes);
    EXPECT_GT(both, model.weights.n_bytes * 9 / 10);  // but for norms
  }
}

TEST(ModelPartTest, ATiedOutputIsCountedOnBothSides) {
  const TinyModelFile file({.n_layer = 2, .tied = true});
  const Model model = load_bare_model(file.path());
  const std::uint64_t both =
      first_layers(model, 1).weights.n_bytes + last_layers(model, 1).weights.n_bytes;
  EXPECT_GT(both, model.weights.n_bytes);
}

TEST(ModelPartTest, LayersThatReadTheKeysOfEarlierOnesStayWithThem) {
  const TinyModelFile file({.n_layer = 4});
  Model model = load_bare_model(file.path());
  model.hparams.layers[3].kv_layer = 2;
  EXPECT_FALSE(can_part(model.hparams, 1));
  EXPECT_TRUE(can_part(model.hparams, 2));
  EXPECT_EQ(last_layers(model, 2).hparams.layers[1].kv_layer, 0);
  model.hparams.n_embd_per_layer = 8;
  EXPECT_FALSE(can_part(model.hparams, 2));
  EXPECT_TRUE(can_part(model.hparams, 4));
}

}  // namespace
}  // namespace confab::engine
