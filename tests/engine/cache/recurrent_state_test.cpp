// SPDX-License-Identifier: MIT
#include "engine/cache/recurrent_state.h"

#include <gtest/gtest.h>

#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

// Two recurrent layers around one of attention: 2 * 8 inputs of the convolution, 2 heads of 2 x 2.
Hparams sizes() {
  Hparams hp;
  hp.layers.resize(3);
  hp.layers[0].recurrent = hp.layers[2].recurrent = true;
  hp.delta_net = {.d_conv = 3, .d_state = 2, .n_k_heads = 1, .n_v_heads = 2};
  return hp;
}

TEST(RecurrentStateTest, IsEmptyWithoutRecurrentLayers) {
  Hparams hp;
  hp.layers.resize(3);
  EXPECT_TRUE(RecurrentState(hp).empty());
  EXPECT_EQ(RecurrentState::bytes(hp), 0U);
}

TEST(RecurrentStateTest, EveryLayerAndHeadHasItsOwn) {
  RecurrentState state(sizes());
  EXPECT_FALSE(state.empty());
  EXPECT_EQ(state.delta(0, 0), state.conv(0) + 16);
  EXPECT_EQ(state.delta(0, 1), state.delta(0, 0) + 4);
  EXPECT_EQ(state.conv(2), state.delta(0, 1) + 4);
  EXPECT_EQ(RecurrentState::bytes(sizes()), 7U * 2 * (16 + 2 * 4) * sizeof(float));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(state.conv(2)[i], 0.0F);
}

TEST(RecurrentStateTest, GoesBackToTheLastCheckpointBefore) {
  RecurrentState state(sizes());
  float& value = state.delta(2, 1)[3];
  for (const int n : {10, 20, 30}) {
    value = static_cast<float>(n);
    state.checkpoint(n);
  }
  value = 99;
  EXPECT_EQ(state.rewind(29), 20);
  EXPECT_EQ(value, 20.0F);
  value = 25;
  EXPECT_EQ(state.rewind(20), 20);
  EXPECT_EQ(value, 20.0F);
  EXPECT_EQ(state.rewind(9), 0);
  EXPECT_EQ(value, 0.0F);
}

TEST(RecurrentStateTest, KeepsMoreOfTheNearerPast) {
  RecurrentState state(sizes());
  float& value = state.conv(0)[0];
  for (int n = 100; n <= 10'000; n += 100) {
    value = static_cast<float>(n);
    state.checkpoint(n);
  }
  // However far one goes back, not much more than what was asked for is lost.
  const int near = state.rewind(9'999);
  EXPECT_EQ(near, 9'900);
  EXPECT_EQ(value, 9'900.0F);
  const int middle = state.rewind(9'000);
  EXPECT_GE(middle, 6'000);
  EXPECT_EQ(value, static_cast<float>(middle));
}

}  // namespace
}  // namespace confab::engine
