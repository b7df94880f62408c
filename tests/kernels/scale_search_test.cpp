// SPDX-License-Identifier: MIT
#include "kernels/quantize.h"

#include <algorithm>
#include <cmath>

#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

constexpr ScaleMinSearch kFourBits{.max_code = 15, .first = -1.0F, .last = 1.0F};

double error(const std::vector<float>& x, const std::vector<float>& w, ScaleMin at, int max_code) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scale = static_cast<double>(at.scale), min = static_cast<double>(at.min);
    const double v = static_cast<double>(x[i]);
    const double q =
        scale > 0 ? std::clamp(std::round((v - min) / scale), 0.0, static_cast<double>(max_code))
                  : 0;
    sum += static_cast<double>(w[i]) * std::pow(scale * q + min - v, 2);
  }
  return sum;
}

TEST(ScaleSearchTest, FindsTheScaleAndMinimumThatMadeTheWeights) {
  std::vector<float> x, w(32, 1.0F);
  for (int i = 0; i < 32; ++i) x.push_back(0.25F * static_cast<float>(i * 7 % 16) - 1.5F);
  const ScaleMin found = find_scale_min(x, w, kFourBits);
  EXPECT_NEAR(found.scale, 0.25, 1e-5);
  EXPECT_NEAR(found.min, -1.5, 1e-5);
}

TEST(ScaleSearchTest, IsBetterThanFittingTheExtremes) {
  std::mt19937 rng(61);
  double found_error = 0, plain_error = 0;
  for (int round = 0; round < 200; ++round) {
    const auto x = testing::random_floats(rng, 32);
    std::vector<float> w;
    for (const float v : x) w.push_back(1 + std::fabs(v));
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const float min = std::min(*low, 0.0F);
    const ScaleMin plain{(*high - min) / 15, min};
    const double found = error(x, w, find_scale_min(x, w, kFourBits), 15);
    EXPECT_LE(found, error(x, w, plain, 15) * 1.0001);
    found_error += found;
    plain_error += error(x, w, plain, 15);
  }
  EXPECT_LT(found_error, 0.85 * plain_error);
}

TEST(ScaleSearchTest, WeightsDecideWhatIsKept) {
  std::vector<float> x(32, 0.0F), w(32, 1e-4F);
  for (std::size_t i = 0; i < 32; ++i) x[i] = static_cast<float>(i) / 31;
  x[5] = 0.1234F;
  w[5] = 1000;
  const ScaleMin found = find_scale_min(x, w, kFourBits);
  const double q = std::round(0.1234 / static_cast<double>(found.scale));
  EXPECT_NEAR(static_cast<double>(found.scale) * q + static_cast<double>(found.min), 0.1234, 1e-3);
}

TEST(ScaleSearchTest, TheMinimumIsNeverAboveZero) {
  std::mt19937 rng(62);
  for (int round = 0; round < 50; ++round) {
    auto x = testing::random_floats(rng, 32, 0.1F);
    for (float& v : x) v += 5;
    const ScaleMin found = find_scale_min(x, std::vector<float>(32, 1.0F), kFourBits);
    EXPECT_LE(found.min, 0);
    EXPECT_GT(found.scale, 0);
  }
}

TEST(ScaleSearchTest, WeightsThatAreAllTheSame) {
  const std::vector<float> w(32, 1.0F);
  EXPECT_EQ(find_scale_min(std::vector<float>(32, 0.0F), w, kFourBits).scale, 0);
  EXPECT_EQ(find_scale_min(std::vector<float>(32, 0.0F), w, kFourBits).min, 0);
  EXPECT_EQ(find_scale_min(std::vector<float>(32, -2.0F), w, kFourBits).min, -2);
  const ScaleMin above = find_scale_min(std::vector<float>(32, 3.0F), w, kFourBits);
  EXPECT_NEAR(above.scale * 15 + above.min, 3, 1e-5);
  EXPECT_EQ(find_scale_min(std::vector<float>(32, 1e-30F), w, kFourBits).scale, 0);
}

TEST(ScaleSearchTest, FindsTheScaleAboutZero) {
  std::vector<float> x;
  for (int i = 0; i < 16; ++i) x.push_back(0.5F * static_cast<float>(i * 11 % 64 - 32));
  EXPECT_NEAR(std::fabs(find_scale(x, 32)), 0.5, 1e-6);
}

TEST(ScaleSearchTest, TheFarthestValueGetsTheLowestCode) {
  std::vector<float> x(16, 0.01F);
  x[3] = 32;
  EXPECT_NEAR(find_scale(x, 32), -1, 1e-3);
  x[3] = -32;
  EXPECT_NEAR(find_scale(x, 32), 1, 1e-3);
}

TEST(ScaleSearchTest, ZeroHasNoScale) {
  EXPECT_EQ(find_scale(std::vector<float>(16, 0.0F), 32), 0);
  EXPECT_EQ(find_scale(std::vector<float>(16, 1e-20F), 32), 0);
}

}  // namespace
}  // namespace confab::kernels
