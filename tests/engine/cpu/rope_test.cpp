// SPDX-License-Identifier: MIT
#include "engine/cpu/rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

namespace confab::engine {
namespace {

RopeHparams plain() {
  RopeHparams hp;
  hp.n_rot = 8;
  return hp;
}

// The angle of pair i at `pos`, when it is below pi.
double angle(const Rope& rope, int pos, int i) {
  float cosines[4], sines[4];
  rope.angles(pos, cosines, sines);
  return std::atan2(double{sines[i]}, double{cosines[i]});
}

double magnitude(const Rope& rope, int pos, int i) {
  float cosines[4], sines[4];
  rope.angles(pos, cosines, sines);
  return std::hypot(double{sines[i]}, double{cosines[i]});
}

TEST(RopeTest, FrequenciesFallGeometrically) {
  const Rope rope(plain(), nullptr);
  const double want[] = {1, 0.1, 0.01, 0.001};  // 10000^(-2i/8)
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(angle(rope, 3, i), 3 * want[i], 1e-6);
    EXPECT_NEAR(magnitude(rope, 3, i), 1, 1e-6);
    EXPECT_EQ(angle(rope, 0, i), 0);
  }
}

TEST(RopeTest, FarPositionsKeepTheirPrecision) {
  const Rope rope(plain(), nullptr);
  float cosines[4], sines[4];
  rope.angles(1'000'003, cosines, sines);
  EXPECT_FLOAT_EQ(cosines[0], static_cast<float>(std::cos(1'000'003.0)));
  EXPECT_FLOAT_EQ(sines[1], static_cast<float>(std::sin(100'000.3)));
}

TEST(RopeTest, LinearScalingDividesPositions) {
  RopeHparams hp = plain();
  hp.scaling = RopeScaling::linear;
  hp.scale_factor = 4;
  const Rope scaled(hp, nullptr), rope(plain(), nullptr);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(angle(scaled, 12, i), angle(rope, 3, i), 1e-6);
}

TEST(RopeTest, FactorsDivideFrequencies) {
  const float factors[] = {1, 2, 4, 8};
  const Rope divided(plain(), factors), rope(plain(), nullptr);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(angle(divided, 3, i) * double{factors[i]}, angle(rope, 3, i), 1e-6);
  }
}

// Original context 64: pair i makes 64 * 10^-i / (2 pi) = 10.2, 1.02, 0.1, 0.01 turns in it. With
// beta 32 and 1 the ramp runs from pair 0 (floor of -0.5, not below 0) to pair 2 (ceiling of 1.01).
TEST(RopeTest, YarnKeepsFastPairsAndScalesSlowOnes) {
  RopeHparams hp = plain();
  hp.scaling = RopeScaling::yarn;
  hp.scale_factor = 4;
  hp.n_ctx_orig = 64;
  const Rope yarn(hp, nullptr);
  EXPECT_NEAR(angle(yarn, 3, 0), 3 * 1.0, 1e-6);
  EXPECT_NEAR(angle(yarn, 3, 1), 3 * (0.5 * 0.1 + 0.5 * 0.1 / 4), 1e-6);
  EXPECT_NEAR(angle(yarn, 3, 2), 3 * 0.01 / 4, 1e-6);
  EXPECT_NEAR(angle(yarn, 3, 3), 3 * 0.001 / 4, 1e-6);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(magnitude(yarn, 3, i), 1 + 0.1 * std::log(4), 1e-6);
}

TEST(RopeTest, TheSizeOfTheContextChoosesDivisors) {
  const float short_factors[] = {1, 1, 2, 2}, long_factors[] = {1, 4, 8, 8},
              always[] = {3, 3, 3, 3};
  Hparams hp;
  hp.ropes = {plain(), plain()};
  hp.ropes[0].n_ctx_orig = 512;
  hp.ropes[1].freq_factors = false;
  Weights w;
  w.rope_factors_short = short_factors;
  w.rope_factors_long = long_factors;
  const auto factor = [&](int n_ctx, std::size_t rope) {
    return 0.01 / make_ropes(hp, w, n_ctx)[rope].frequencies()[2];
  };
  EXPECT_NEAR(factor(512, 0), 2, 1e-9);
  EXPECT_NEAR(factor(513, 0), 8, 1e-9);
  EXPECT_NEAR(factor(513, 1), 1, 1e-9);
  w.rope_freqs = always;
  EXPECT_NEAR(factor(513, 0), 3, 1e-9);
}

TEST(RopeTest, TheMagnitudeIsTheModelsOwn) {
  RopeHparams hp = plain();
  hp.attn_factor = 1.19F;
  EXPECT_NEAR(Rope(hp, nullptr).magnitude(), 1.19, 1e-6);
  hp.scaling = RopeScaling::yarn;
  hp.scale_factor = 8;
  hp.n_ctx_orig = 64;
  EXPECT_NEAR(Rope(hp, nullptr).magnitude(), 1.19 * (1 + 0.1 * std::log(8)), 1e-6);
  hp.yarn_magnitude_scale = 0;
  EXPECT_NEAR(Rope(hp, nullptr).magnitude(), 1.19, 1e-6);
}

}  // namespace
}  // namespace confab::engine
