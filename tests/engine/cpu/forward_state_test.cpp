// SPDX-License-Identifier: MIT
#include "engine/cpu/forward_state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using When = Residual::When;

constexpr int kTokens = 2;

// Between two layers of a tiny model, of which the first has left something to add.
class ForwardStateTest : public testing::Test {
 protected:
  ForwardStateTest() {
    model_.hparams.post_norms = true;
    state_.reset(new ForwardState{
        .hp = model_.hparams,
        .weights = model_.weights,
        .plan = Plan(model_.hparams, model_.weights),
        .kernel = *kernels::kernel_table(kernels::Isa::scalar),
        .pool = pool_,
        .options = {.n_batch = kTokens, .exact = true},
        .ropes = {},
        .buffers = ForwardBuffers({model_.hparams, model_.weights},
                                  {.n_threads = pool_.n_threads(), .n_batch = kTokens}),
        .n = kTokens});
    std::fill_n(s().buffers.x(), n_values(), 1.0F);
    std::fill_n(s().buffers.y(), n_values(), 2.0F);
  }
  ForwardState& s() { return *state_; }
  int n_values() const { return kTokens * model_.hparams.n_embd; }
  // The last value of the last token.
  float x() { return s().buffers.x()[n_values() - 1]; }
  float packed() {
    const auto* rows = reinterpret_cast<const float*>(s().buffers.packed(kernels::ActFormat::f32));
    return rows[n_values() - 1];
  }
  static constexpr float kTwice = 2;

  TinyModelFile file_;
  Model model_ = load_bare_model(file_.path());
  kernels::ThreadPool pool_{2};
  std::unique_ptr<ForwardState> state_;
};

TEST_F(ForwardStateTest, WhatWaitsIsAddedBeforeTheNorm) {
  const std::vector<float> weights(64, 3.0F);
  s().pack_normed({.before = {.when = When::before_norm, .x_scale = &kTwice}}, {.f32 = true});
  EXPECT_EQ(x(), (1 + 2) * kTwice);
  EXPECT_EQ(packed(), x());
  s().pack_normed({}, {.f32 = true});
  EXPECT_EQ(x(), (1 + 2) * kTwice);
  s().pack_normed({.before = {.when = When::before_norm, .norm = {weights.data()}}}, {.f32 = true});
  EXPECT_NEAR(x(), 6 + 3, 1e-4);  // the norm of equal values is 1
}

TEST_F(ForwardStateTest, NormsAreWeightsThenBiases) {
  const std::vector<float> weights(64, 3.0F), biases(64, 0.5F);
  s().pack_normed({.norm = {weights.data(), biases.data()}}, {.f32 = true});
  EXPECT_NEAR(packed(), 3 * 1 + 0.5F, 1e-4);
  EXPECT_EQ(x(), 1);
}

TEST_F(ForwardStateTest, SideBySideTheSecondPartReadsTheStreamWithoutTheFirst) {
  s().pack_normed({.before = {.when = When::after_norm, .x_scale = &kTwice}}, {.f32 = true});
  EXPECT_EQ(packed(), 1);
  EXPECT_EQ(x(), (1 + 2) * kTwice);
}

TEST_F(ForwardStateTest, AProjectionIsAddedAtOnceOrWaits) {
  const Matrix& out = model_.weights.layers[0].attn_output;
  const auto add = [&](When when) {
    s().pack_normed({}, {.f32 = true});
    s().add_projection(out, when);
  };
  add(When::before_norm);
  EXPECT_EQ(x(), 1);
  const float y = s().buffers.y()[n_values() - 1];
  EXPECT_NE(y, 2);
  add(When::at_once);
  EXPECT_EQ(x(), 1 + y);
  EXPECT_EQ(s().buffers.y()[n_values() - 1], y);
}

}  // namespace
}  // namespace confab::engine
