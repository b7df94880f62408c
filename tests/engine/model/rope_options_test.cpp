// SPDX-License-Identifier: MIT
#include "engine/model/rope_options.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "engine/cpu/rope.h"
#include "engine/model/model.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

Hparams load(const TinyModelOptions& model, const RopeOptions& rope) {
  const TinyModelFile file(model);
  return Hparams::load(Gguf(file.path()), NextnHead::left_out, rope);
}

// A frequency by YaRN's paper (arXiv:2309.00071, definitions 2 and 3), but for the ramp: over the
// numbers of pairs, rounded outwards, as in the code of its authors.
double yarn_frequency(int i, int n_rot, double base, double scale, double n_orig, double slow,
                      double fast) {
  const auto pair = [&](double turns) {
    return n_rot * std::log(n_orig / (2 * std::numbers::pi * turns)) / (2 * std::log(base));
  };
  const double from = std::max(std::floor(pair(fast)), 0.0);
  const double to = std::min(std::ceil(pair(slow)), n_rot - 1.0);
  const double kept = 1 - std::clamp((i - from) / (to - from), 0.0, 1.0);
  const double theta = std::pow(base, -2.0 * i / n_rot);
  return (1 - kept) * theta / scale + kept * theta;
}

TEST(RopeOptionsTest, YarnIsThatOfItsPaper) {
  const Hparams hp = load({.n_ctx = 4096}, {.scaling = RopeScaling::yarn,
                                            .scale = 8.0F,
                                            .freq_base = 50000.0F,
                                            .yarn_orig_ctx = 2048,
                                            .yarn_beta_slow = 2.0F,
                                            .yarn_beta_fast = 24.0F});
  const Rope rope(hp.ropes[0], nullptr);
  ASSERT_EQ(rope.frequencies().size(), 16U);
  for (int i = 0; i < 16; ++i) {
    const double want = yarn_frequency(i, 32, 50000, 8, 2048, 2, 24);
    EXPECT_NEAR(rope.frequencies()[static_cast<std::size_t>(i)] / want, 1, 1e-12) << i;
  }
  EXPECT_NEAR(rope.magnitude(), 0.1 * std::log(8) + 1, 1e-6);
}

// What is not given stays; 0 and less mean the model's own.
TEST(RopeOptionsTest, TheRestIsAsTheFileHasIt) {
  const TinyModelOptions yarn{.rope_scaling = "yarn"};
  const auto frequencies = [](const Hparams& hp) {
    const Rope rope(hp.ropes[0], nullptr);
    std::vector<double> all(rope.frequencies().begin(), rope.frequencies().end());
    all.push_back(rope.magnitude());
    return all;
  };
  const auto own = frequencies(load(yarn, {}));
  EXPECT_EQ(own, frequencies(load(yarn, {.scale = 0.0F,
                                         .freq_scale = -1.0F,
                                         .freq_base = 0.0F,
                                         .yarn_ext_factor = -1.0F,
                                         .yarn_attn_factor = -1.0F,
                                         .yarn_beta_slow = -1.0F,
                                         .yarn_beta_fast = -1.0F})));
  EXPECT_EQ(own, frequencies(load(yarn, {.freq_scale = 0.25F})));
  EXPECT_NE(own, frequencies(load(yarn, {.scale = 8.0F})));
  EXPECT_EQ(frequencies(load({}, {})), frequencies(load(yarn, {.scaling = RopeScaling::none})));
  const auto linear = frequencies(load({.rope_scaling = "linear"}, {}));
  EXPECT_EQ(linear, frequencies(load(yarn, {.scaling = RopeScaling::linear})));
  EXPECT_EQ(linear, frequencies(load(yarn, {.yarn_ext_factor = 0.0F})));
  EXPECT_EQ(own, frequencies(load({.rope_scaling = "linear"}, {.yarn_ext_factor = 1.0F})));
  auto louder = own;
  louder.back() *= 1.5;
  EXPECT_EQ(louder, frequencies(load(yarn, {.yarn_attn_factor = 1.5F})));
}

TEST(RopeOptionsTest, TheContextGrows) {
  const auto most = [](const TinyModelOptions& model, const RopeOptions& rope) {
    const Hparams hp = load(model, rope);
    EXPECT_EQ(hp.n_ctx_train, 512);
    return hp.n_ctx_max;
  };
  EXPECT_EQ(most({}, {}), 512);
  EXPECT_EQ(most({}, {.scale = 4.0F}), 2048);
  EXPECT_EQ(most({}, {.freq_scale = 0.25F}), 2048);
  EXPECT_EQ(most({}, {.scale = 4.0F, .yarn_orig_ctx = 256}), 1024);
  EXPECT_EQ(most({}, {.scale = 0.5F}), 512);
  EXPECT_EQ(most({}, {.scaling = RopeScaling::none, .scale = 4.0F}), 512);
  // This file's 512 tokens are there with a factor of 4.
  EXPECT_EQ(most({.rope_scaling = "yarn"}, {.scale = 8.0F}), 1024);
  // NTK-aware scaling by 2: the base grows by 2^(32/30).
  const float base = 10000 * std::pow(2.0F, 32.0F / 30);
  EXPECT_NEAR(most({}, {.freq_base = base}), 1024, 1);
  EXPECT_EQ(most({}, {.scale = 1e9F}), 1 << 28);
}

TEST(RopeOptionsTest, YarnNeedsABaseAboveOne) {
  EXPECT_THAT(error_of([] { load({}, {.scaling = RopeScaling::yarn, .freq_base = 1.0F}); }),
              HasSubstr("RoPE has the base 1, but yarn needs more than 1"));
}

// Layers that look back at a window never see farther than in training.
TEST(RopeOptionsTest, WindowsStayAsTheyAre) {
  const TinyModelFile tiny(TinyModelOptions{});
  const Gguf gguf(tiny.path());
  Hparams hp = Hparams::load(gguf);
  hp.layers[0].window = 16;
  apply_rope_options(gguf, {}, hp);
  EXPECT_EQ(hp.ropes.size(), 1U);
  apply_rope_options(gguf, {.scale = 2.0F, .freq_base = 20000.0F}, hp);
  ASSERT_EQ(hp.ropes.size(), 2U);
  EXPECT_EQ(hp.layers[0].rope, 1);
  EXPECT_EQ(hp.layers[1].rope, 0);
  EXPECT_EQ(hp.ropes[1].freq_base, 10000.0F);
  EXPECT_EQ(hp.ropes[1].scale_factor, 1.0F);
  EXPECT_EQ(hp.ropes[0].freq_base, 20000.0F);
  EXPECT_EQ(hp.ropes[0].scale_factor, 2.0F);
}

TEST(RopeOptionsTest, AnOptionAndTheFilesOwnGiveTheSameLogits) {
  const TinyModelFile plain(TinyModelOptions{}),
      scaled({.rope_scaling = "linear", .rope_scale_factor = 2});
  const std::vector<Token> tokens = {5, 9, 2, 77, 31, 250, 8, 8, 12, 64};
  const auto run = [&](const std::string& path, const RopeOptions& rope) {
    return run_model(*Model::load(path, NextnHead::left_out, rope), tokens, {}, {4});
  };
  const std::vector<float> want = run(scaled.path(), {});
  EXPECT_EQ(run(plain.path(), {.scaling = RopeScaling::linear, .scale = 2.0F}), want);
  EXPECT_NE(run(plain.path(), {}), want);
}

}  // namespace
}  // namespace confab::engine
