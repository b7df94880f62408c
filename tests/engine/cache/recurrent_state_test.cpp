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
  EXPECT_EQ(RecurrentState::bytes(hp, 16), 0U);
}

TEST(RecurrentStateTest, EveryLayerAndHeadHasItsOwn) {
  RecurrentState state(sizes());
  EXPECT_FALSE(state.empty());
  EXPECT_EQ(state.delta(0, 0), state.conv(0) + 16);
  EXPECT_EQ(state.delta(0, 1), state.delta(0, 0) + 4);
  EXPECT_EQ(state.conv(2), state.delta(0, 1) + 4);
  EXPECT_EQ(RecurrentState::bytes(sizes(), 0), 7U * 2 * (16 + 2 * 4) * sizeof(float));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(state.conv(2)[i], 0.0F);
}

TEST(RecurrentStateTest, GoesBackToTheLastCheckpointBefore) {
  RecurrentState state(sizes());
  float& value = state.delta(2, 1)[3];
  for (const int n : {10, 20, 30}) {
    state.commit(10, false);
    value = static_cast<float>(n);
    state.checkpoint();
  }
  value = 99;
  EXPECT_EQ(state.truncate(29), 20);
  EXPECT_EQ(value, 20.0F);
  state.commit(5, false);
  value = 25;
  EXPECT_EQ(state.truncate(25), 25);
  EXPECT_EQ(value, 25.0F);
  EXPECT_EQ(state.truncate(20), 20);
  EXPECT_EQ(value, 20.0F);
  EXPECT_EQ(state.truncate(9), 0);
  EXPECT_EQ(value, 0.0F);
}

TEST(RecurrentStateTest, KeepsMoreOfTheNearerPast) {
  RecurrentState state(sizes());
  float& value = state.conv(0)[0];
  for (int n = 100; n <= 10'000; n += 100) {
    state.commit(100, false);
    value = static_cast<float>(n);
    state.checkpoint();
  }
  // However far one goes back, not much more than what was asked for is lost.
  const int near = state.truncate(9'999);
  EXPECT_EQ(near, 9'900);
  EXPECT_EQ(value, 9'900.0F);
  const int middle = state.truncate(9'000);
  EXPECT_GE(middle, 6'000);
  EXPECT_EQ(value, static_cast<float>(middle));
}

// Five tokens in the state, whose values are 5, and four in flight, 6 to 9.
void fly(RecurrentState& state) {
  state.commit(5, false);
  state.conv(0)[0] = state.delta(2, 1)[3] = 5;
  for (const int il : {0, 2}) {
    for (int t = 0; t < 4; ++t) {
      state.inputs_in_flight(il)[t * 8 + 7] = static_cast<float>(100 * il + 6 + t);
      state.gates_in_flight(il)[t * 4 + 3] = static_cast<float>(100 * il + 60 + t);
    }
  }
  state.commit(4, true);
}

void expect_in_flight(RecurrentState& state, int n) {
  EXPECT_EQ(state.n_tokens(), 5 + n);
  EXPECT_EQ(state.n_in_flight(), n);
  EXPECT_EQ(state.conv(0)[0], 5.0F);
  EXPECT_EQ(state.delta(2, 1)[3], 5.0F);
  for (const int il : {0, 2}) {
    for (int t = 0; t < n; ++t) {
      EXPECT_EQ(state.inputs_in_flight(il)[t * 8 + 7], static_cast<float>(100 * il + 6 + t));
      EXPECT_EQ(state.gates_in_flight(il)[t * 4 + 3], static_cast<float>(100 * il + 60 + t));
    }
  }
}

TEST(RecurrentStateTest, ForgetsTokensInFlightOneByOne) {
  RecurrentState state(sizes(), 4);
  fly(state);
  expect_in_flight(state, 4);
  for (const int n : {9, 8, 6, 5}) {
    EXPECT_EQ(state.truncate(n), n);
    expect_in_flight(state, n - 5);
  }
  EXPECT_EQ(state.truncate(4), 0) << "nothing was saved";
  EXPECT_EQ(state.conv(0)[0], 0.0F);
}

// The next run has to take in what is left, but not if that is all.
TEST(RecurrentStateTest, GoesOnAfterAllThatWasInFlight) {
  for (const int n_left : {9, 8}) {
    RecurrentState state(sizes(), 4);
    fly(state);
    state.conv_after(0)[0] = state.delta_after(2, 1)[3] = 9;
    EXPECT_EQ(state.truncate(n_left), n_left);
    state.settle();
    EXPECT_EQ(state.n_tokens(), n_left);
    EXPECT_EQ(state.n_in_flight(), n_left == 9 ? 0 : 3);
    EXPECT_EQ(state.conv(0)[0], n_left == 9 ? 9.0F : 5.0F);
    EXPECT_EQ(state.delta(2, 1)[3], n_left == 9 ? 9.0F : 5.0F);
    state.settle();  // again: nothing to do
    EXPECT_EQ(state.conv(0)[0], n_left == 9 ? 9.0F : 5.0F);
    EXPECT_EQ(state.truncate(4), 0);
    state.settle();
    EXPECT_EQ(state.conv(0)[0], 0.0F);
  }
  RecurrentState state(sizes(), 4);
  fly(state);
  RecurrentState fork(state, 9);
  fork.settle();
  expect_in_flight(fork, 4);
}

TEST(RecurrentStateTest, AForkHasTheSameTokensInFlight) {
  RecurrentState state(sizes(), 4);
  fly(state);
  for (const int n : {9, 7, 5}) {
    RecurrentState fork(state, n);
    expect_in_flight(fork, n - 5);
    EXPECT_EQ(fork.truncate(5), 5);
    expect_in_flight(fork, 0);
  }
  expect_in_flight(state, 4);
  EXPECT_EQ(RecurrentState(state, 4).n_tokens(), 0);
}

TEST(RecurrentStateTest, WhatIsInFlightIsNotSaved) {
  RecurrentState state(sizes(), 4);
  fly(state);
  state.checkpoint();
  state.checkpoint();     // of the same state: needs no room
  state.commit(2, true);  // a run has taken them in
  state.conv(0)[0] = 9;
  EXPECT_EQ(RecurrentState(state, 8).n_tokens(), 5);
  EXPECT_EQ(state.truncate(10), 10);
  EXPECT_EQ(state.truncate(8), 5);
  expect_in_flight(state, 0);
}

TEST(RecurrentStateTest, HasRoomForAsManyInFlightAsItIsTold) {
  EXPECT_FALSE(RecurrentState(sizes()).may_stay_in_flight(1));
  EXPECT_TRUE(RecurrentState(sizes(), 4).may_stay_in_flight(4));
  EXPECT_FALSE(RecurrentState(sizes(), 4).may_stay_in_flight(5));
  Hparams plain;
  plain.layers.resize(3);
  EXPECT_FALSE(RecurrentState(plain, 4).may_stay_in_flight(1));
  // 8 inputs and 4 gates a token, in each of two layers, and the state after them.
  EXPECT_EQ(RecurrentState::bytes(sizes(), 4) - RecurrentState::bytes(sizes(), 0),
            2U * (4 * (8 + 4) + 16 + 2 * 4) * sizeof(float));
}

}  // namespace
}  // namespace confab::engine
