// SPDX-License-Identifier: MIT
#include "engine/model/layer_plan.h"

#include <gtest/gtest.h>

#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

using When = Residual::When;

// Two layers whose norms and scales are told apart by their addresses.
class LayerPlanTest : public testing::Test {
 protected:
  LayerPlanTest() {
    hp_.n_layer = 2;
    hp_.layers.resize(2);
    weights_.layers.resize(2);
    const float* next = values_;
    for (LayerWeights& w : weights_.layers) {
      for (Norm* norm : {&w.attn_norm, &w.attn_post_norm, &w.ffn_norm, &w.ffn_post_norm,
                         &w.per_layer_post_norm}) {
        norm->weight = next++;
      }
    }
    weights_.output_norm.weight = next++;
  }
  Plan plan() const { return {hp_, weights_}; }
  const LayerWeights& w(std::size_t il) const { return weights_.layers[il]; }

  static constexpr float values_[16] = {};
  Hparams hp_;
  Weights weights_;
};

void expect_waits(const Residual& residual, When when, const Norm& norm) {
  EXPECT_EQ(residual.when, when);
  EXPECT_EQ(residual.norm.weight, norm.weight);
}

TEST_F(LayerPlanTest, KnowsTheKindsOfALayersParts) {
  hp_.layers[1].recurrent = true;
  hp_.layers[1].has_experts = true;
  Plan both = plan();
  EXPECT_EQ(both.layers[0].mixer, Mixer::attention);
  EXPECT_EQ(&both.layers[0].mixer_out, &w(0).attn_output);
  EXPECT_EQ(both.layers[0].feed_forward, FeedForward::dense);
  EXPECT_EQ(both.layers[1].mixer, Mixer::delta_net);
  EXPECT_EQ(&both.layers[1].mixer_out, &w(1).delta_net.out);
  EXPECT_EQ(both.layers[1].feed_forward, FeedForward::experts);
  EXPECT_EQ(&both.layers[1].shape, &hp_.layers[1]);
  hp_.latent.kv_rank = 8;
  hp_.experts.beside_plain = true;
  EXPECT_EQ(plan().layers[0].mixer, Mixer::latent_attention);
  EXPECT_EQ(plan().layers[1].mixer, Mixer::delta_net);
  EXPECT_EQ(plan().layers[1].feed_forward, FeedForward::experts_beside_dense);
}

TEST_F(LayerPlanTest, ALayerMayUseTheKeysOfAnother) {
  hp_.layers[1].kv_layer = 0;
  EXPECT_TRUE(plan().layers[0].has_own_keys());
  EXPECT_FALSE(plan().layers[1].has_own_keys());
}

TEST_F(LayerPlanTest, PlainPartsAddAtOnceAndFindNothing) {
  const Plan plain = plan();
  for (const LayerPlan& layer : plain.layers) {
    EXPECT_EQ(layer.mixer_input.norm.weight, layer.weights.attn_norm.weight);
    EXPECT_EQ(layer.feed_forward_input.norm.weight, layer.weights.ffn_norm.weight);
    EXPECT_FALSE(layer.has_per_layer_input);
    for (const Residual* residual :
         {&layer.mixer_input.before, &layer.mixer_residual, &layer.feed_forward_input.before,
          &layer.feed_forward_residual}) {
      EXPECT_EQ(residual->when, When::at_once);
    }
  }
  EXPECT_EQ(plain.output_input.norm.weight, weights_.output_norm.weight);
  EXPECT_EQ(plain.output_input.before.when, When::at_once);
}

TEST_F(LayerPlanTest, WhatIsNormedWaitsForTheNextPart) {
  hp_.post_norms = true;
  const Plan normed = plan();
  expect_waits(normed.layers[0].mixer_residual, When::before_norm, w(0).attn_post_norm);
  expect_waits(normed.layers[0].feed_forward_input.before, When::before_norm, w(0).attn_post_norm);
  EXPECT_EQ(normed.layers[0].mixer_input.before.when, When::at_once);
  expect_waits(normed.layers[1].mixer_input.before, When::before_norm, w(0).ffn_post_norm);
  expect_waits(normed.output_input.before, When::before_norm, w(1).ffn_post_norm);
}

TEST_F(LayerPlanTest, PartsSideBySideMeetAfterTheSecondsNorm) {
  hp_.parallel = true;
  for (LayerWeights& layer : weights_.layers) layer.attn_post_norm = {};
  const Plan parallel = plan();
  expect_waits(parallel.layers[1].feed_forward_input.before, When::after_norm, {});
  EXPECT_EQ(parallel.layers[1].feed_forward_residual.when, When::at_once);
  EXPECT_EQ(parallel.layers[1].mixer_input.before.when, When::at_once);
}

TEST_F(LayerPlanTest, InputsOfALayerComeBetweenItsFeedForwardAndTheNextLayer) {
  hp_.post_norms = true;
  hp_.n_embd_per_layer = 4;
  const Plan inputs = plan();
  EXPECT_TRUE(inputs.layers[0].has_per_layer_input);
  expect_waits(inputs.layers[0].per_layer_input.before, When::before_norm, w(0).ffn_post_norm);
  expect_waits(inputs.layers[1].mixer_input.before, When::before_norm, w(0).per_layer_post_norm);
  expect_waits(inputs.output_input.before, When::before_norm, w(1).per_layer_post_norm);
}

TEST_F(LayerPlanTest, ScalesOfLayersApplyToTheWholeSum) {
  weights_.layers[0].output_scale = values_;
  EXPECT_EQ(plan().layers[0].x_scale, values_);
  EXPECT_EQ(plan().layers[1].mixer_input.before.x_scale, nullptr);
  EXPECT_EQ(plan().layers[1].x_scale, nullptr);
  hp_.post_norms = true;
  EXPECT_EQ(plan().layers[0].x_scale, nullptr);
  EXPECT_EQ(plan().layers[0].feed_forward_residual.x_scale, nullptr);
  EXPECT_EQ(plan().layers[1].mixer_input.before.x_scale, values_);
  EXPECT_EQ(plan().output_input.before.x_scale, nullptr);
}

}  // namespace
}  // namespace confab::engine
