// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

constexpr double kUnit = 0x1p-23;  // the spacing of f32 at 1

class VectorTest : public testing::EveryTable {};
INSTANTIATE_TEST_SUITE_P(Isa, VectorTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

TEST_P(VectorTest, RmsNormIsAccurateAtEveryLength) {
  std::mt19937 rng(41);
  for (std::size_t n = 1; n <= 131; ++n) {
    const auto x = testing::random_floats(rng, n), w = testing::random_floats(rng, n);
    std::vector<float> y = x;
    table().rms_norm(y.data(), w.data(), static_cast<std::int64_t>(n), 1e-5F, y.data());
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    const double scale = 1 / std::sqrt(sum / static_cast<double>(n) + static_cast<double>(1e-5F));
    for (std::size_t i = 0; i < n; ++i) {
      const double want = static_cast<double>(x[i]) * scale * static_cast<double>(w[i]);
      ASSERT_NEAR(static_cast<double>(y[i]), want, 3 * kUnit * std::fabs(want)) << n << " " << i;
    }
  }
}

TEST_P(VectorTest, RmsNormWithoutWeightsOnlyScales) {
  std::mt19937 rng(47);
  for (std::size_t n = 1; n <= 67; ++n) {
    const auto x = testing::random_floats(rng, n);
    const std::vector<float> ones(n, 1);
    std::vector<float> y(n), want(n);
    table().rms_norm(x.data(), nullptr, static_cast<std::int64_t>(n), 1e-5F, y.data());
    table().rms_norm(x.data(), ones.data(), static_cast<std::int64_t>(n), 1e-5F, want.data());
    ASSERT_EQ(y, want);
  }
}

TEST_P(VectorTest, LayerNormIsAccurateAtEveryLength) {
  std::mt19937 rng(48);
  for (std::size_t n = 2; n <= 131; ++n) {
    auto x = testing::random_floats(rng, n);
    const auto w = testing::random_floats(rng, n);
    for (float& v : x) v += 3;
    std::vector<float> y = x;
    table().layer_norm(y.data(), w.data(), static_cast<std::int64_t>(n), 1e-5F, y.data());
    const auto count = static_cast<double>(n);
    double mean = 0, variance = 0;
    for (const float v : x) mean += static_cast<double>(v) / count;
    for (const float v : x) {
      variance += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean) / count;
    }
    const double scale = 1 / std::sqrt(variance + static_cast<double>(1e-5F));
    for (std::size_t i = 0; i < n; ++i) {
      const double want = (static_cast<double>(x[i]) - mean) * scale * static_cast<double>(w[i]);
      // The mean is rounded to f32, at the size of the numbers.
      const double bound =
          4 * kUnit * (std::fabs(want) + 4 * scale * std::fabs(static_cast<double>(w[i])));
      ASSERT_NEAR(static_cast<double>(y[i]), want, bound) << n << " " << i;
    }
  }
}

TEST_P(VectorTest, GeluMulIsAccurateOverTheWholeRange) {
  std::mt19937 rng(49);
  for (std::size_t n = 1; n <= 67; ++n) {
    auto gate = testing::random_floats(rng, n, 6);
    if (n > 4) gate[0] = -200, gate[1] = 200, gate[2] = 0, gate[3] = -9.5F;
    const auto up = testing::random_floats(rng, n);
    std::vector<float> y(n + 1, 7);
    table().gelu_mul(gate.data(), up.data(), static_cast<std::int64_t>(n), y.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double g = static_cast<double>(gate[i]);
      const double z = 0.7978845608028654 * (g + 0.044715 * g * g * g);
      const double want = g / (1 + std::exp(-2 * z)) * static_cast<double>(up[i]);
      // The exponent is rounded, at its own size, to f32.
      const double bound = (8 + 6 * std::fabs(z)) * kUnit * std::fabs(want);
      ASSERT_NEAR(static_cast<double>(y[i]), want, bound + 1e-35) << g;
    }
    ASSERT_EQ(y[n], 7) << "wrote past the end";
  }
}

TEST_P(VectorTest, SigmoidMulIsAccurateOverTheWholeRange) {
  std::mt19937 rng(52);
  for (std::size_t n = 1; n <= 67; ++n) {
    auto gate = testing::random_floats(rng, n, 20);
    if (n > 4) gate[0] = -200, gate[1] = 200, gate[2] = 0, gate[3] = -80;
    const auto x = testing::random_floats(rng, n);
    std::vector<float> y(n + 1, 7);
    table().sigmoid_mul(gate.data(), x.data(), static_cast<std::int64_t>(n), y.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double g = static_cast<double>(gate[i]);
      const double want = static_cast<double>(x[i]) / (1 + std::exp(-g));
      ASSERT_NEAR(static_cast<double>(y[i]), want, 6 * kUnit * std::fabs(want) + 1e-35) << g;
    }
    ASSERT_EQ(y[n], 7) << "wrote past the end";
  }
}

TEST_P(VectorTest, DeltaRuleCorrectsTheStateAndReadsIt) {
  std::mt19937 rng(53);
  for (int dim = 1; dim <= 67; ++dim) {
    const auto n = static_cast<std::size_t>(dim);
    std::vector<float> state = testing::random_floats(rng, n * n), out(n);
    const std::vector<float> old = state;
    const auto q = testing::random_floats(rng, n), k = testing::random_floats(rng, n);
    const auto v = testing::random_floats(rng, n);
    table().delta_rule({.state = state.data(),
                        .q = q.data(),
                        .k = k.data(),
                        .v = v.data(),
                        .decay = 0.75F,
                        .beta = 0.4F,
                        .dim = dim,
                        .out = out.data()});
    for (std::size_t i = 0; i < n; ++i) {
      double recalled = 0, want = 0, size = 1;
      for (std::size_t j = 0; j < n; ++j) {
        recalled += 0.75 * static_cast<double>(old[i * n + j]) * static_cast<double>(k[j]);
      }
      const double correction = static_cast<double>(0.4F) * (static_cast<double>(v[i]) - recalled);
      for (std::size_t j = 0; j < n; ++j) {
        const double s =
            0.75 * static_cast<double>(old[i * n + j]) + correction * static_cast<double>(k[j]);
        const double bound = 64 * kUnit * (std::fabs(s) + std::fabs(correction) + 0.1 * dim);
        ASSERT_NEAR(static_cast<double>(state[i * n + j]), s, bound) << dim;
        want += s * static_cast<double>(q[j]);
        size += std::fabs(s * static_cast<double>(q[j])) + std::fabs(correction);
      }
      ASSERT_NEAR(static_cast<double>(out[i]), want, 64 * kUnit * size) << dim;
    }
  }
}

TEST_P(VectorTest, SoftCapIsAccurateAndBounded) {
  std::mt19937 rng(50);
  for (std::size_t n = 1; n <= 67; ++n) {
    auto x = testing::random_floats(rng, n, 100);
    if (n > 2) x[0] = 1e30F, x[1] = -1e-10F;
    x.push_back(7);
    std::vector<float> y = x;
    table().soft_cap(y.data(), static_cast<std::int64_t>(n), 30);
    for (std::size_t i = 0; i < n; ++i) {
      const double want = 30 * std::tanh(static_cast<double>(x[i]) / 30);
      ASSERT_NEAR(static_cast<double>(y[i]), want, 6 * kUnit * std::fabs(want)) << x[i];
    }
    ASSERT_EQ(y[n], 7) << "wrote past the end";
  }
}

TEST_P(VectorTest, AddScaledAddsAMultiple) {
  std::mt19937 rng(51);
  for (std::size_t n = 1; n <= 67; ++n) {
    const auto x = testing::random_floats(rng, n), y0 = testing::random_floats(rng, n);
    std::vector<float> y = y0;
    y.push_back(7);
    table().add_scaled(x.data(), static_cast<std::int64_t>(n), 0.22F, y.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double product = static_cast<double>(0.22F) * static_cast<double>(x[i]);
      const double want = static_cast<double>(y0[i]) + product;
      ASSERT_NEAR(static_cast<double>(y[i]), want, kUnit * (std::fabs(want) + std::fabs(product)));
    }
    ASSERT_EQ(y[n], 7) << "wrote past the end";
  }
}

TEST_P(VectorTest, RopeRotatesBothKindsOfPairs) {
  std::mt19937 rng(42);
  for (int n_rot = 2; n_rot <= 140; n_rot += 2) {
    for (const bool interleaved : {false, true}) {
      const auto half = static_cast<std::size_t>(n_rot / 2);
      const auto x = testing::random_floats(rng, static_cast<std::size_t>(n_rot) + 3);
      const auto c = testing::random_floats(rng, half), s = testing::random_floats(rng, half);
      std::vector<float> y = x;
      table().rope(y.data(), n_rot, interleaved, c.data(), s.data());
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t a = interleaved ? 2 * i : i, b = interleaved ? a + 1 : i + half;
        const double xa = static_cast<double>(x[a]), xb = static_cast<double>(x[b]);
        const double cos = static_cast<double>(c[i]), sin = static_cast<double>(s[i]);
        const double bound =
            kUnit * (std::fabs(xa) + std::fabs(xb)) * (std::fabs(cos) + std::fabs(sin));
        ASSERT_NEAR(static_cast<double>(y[a]), xa * cos - xb * sin, bound) << n_rot << " " << i;
        ASSERT_NEAR(static_cast<double>(y[b]), xa * sin + xb * cos, bound) << n_rot << " " << i;
      }
      for (std::size_t i = 2 * half; i < x.size(); ++i)
        ASSERT_EQ(y[i], x[i]) << "not to be rotated";
    }
  }
}

TEST_P(VectorTest, SiluMulIsAccurateOverTheWholeRange) {
  std::mt19937 rng(43);
  for (std::size_t n = 1; n <= 67; ++n) {
    auto gate = testing::random_floats(rng, n, 20);
    if (n > 4) gate[0] = -200, gate[1] = 200, gate[2] = 0, gate[3] = -87.5F;
    const auto up = testing::random_floats(rng, n);
    std::vector<float> y(n + 1, 7);
    table().silu_mul(gate.data(), up.data(), static_cast<std::int64_t>(n), y.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double g = static_cast<double>(gate[i]);
      const double want = g / (1 + std::exp(-g)) * static_cast<double>(up[i]);
      ASSERT_NEAR(static_cast<double>(y[i]), want, 6 * kUnit * std::fabs(want) + 1e-35) << g;
    }
    ASSERT_EQ(y[n], 7) << "wrote past the end";
  }
}

TEST_P(VectorTest, SwigluOaiIsAccurateOverTheWholeRange) {
  std::mt19937 rng(46);
  for (std::size_t n = 1; n <= 67; ++n) {
    auto gate = testing::random_floats(rng, n, 20), up = testing::random_floats(rng, n, 8);
    if (n > 4) gate[0] = -200, gate[1] = 200, gate[2] = 7, gate[3] = -51;
    if (n > 4) up[0] = up[2] = 1e30F, up[1] = up[3] = -1e30F;
    std::vector<float> y(n + 1, 9);
    table().swiglu_oai(gate.data(), up.data(), static_cast<std::int64_t>(n), y.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double g = std::min(static_cast<double>(gate[i]), 7.0);
      const double u = std::clamp(static_cast<double>(up[i]), -7.0, 7.0);
      const double want = g / (1 + std::exp(-1.702 * g)) * (u + 1);
      // The exponent is rounded, at its own size, to f32; so is u before 1 is added to it.
      const double bound = (6 + 2 * std::fabs(1.702 * g)) * kUnit * std::fabs(want);
      ASSERT_NEAR(static_cast<double>(y[i]), want, bound + 1e-35) << g << " " << u;
    }
    ASSERT_EQ(y[n], 9) << "wrote past the end";
    std::vector<float> in_place = gate;
    table().swiglu_oai(in_place.data(), up.data(), static_cast<std::int64_t>(n), in_place.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(in_place[i], y[i]) << "y may be gate";
  }
}

TEST_P(VectorTest, SwigluOaiPassesOnWhatIsNoNumber) {
  std::vector<float> gate(20, 1.0F), up(20, 1.0F), y(20);
  gate[3] = up[17] = std::nanf("");
  table().swiglu_oai(gate.data(), up.data(), 20, y.data());
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(y[i]), i == 3 || i == 17) << i;
}

TEST_P(VectorTest, AddAtEveryLength) {
  std::mt19937 rng(44);
  for (std::size_t n = 0; n <= 67; ++n) {
    const auto x = testing::random_floats(rng, n), y0 = testing::random_floats(rng, n + 1);
    auto y = y0;
    table().add(x.data(), static_cast<std::int64_t>(n), y.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], y0[i] + x[i]);
    ASSERT_EQ(y[n], y0[n]) << "wrote past the end";
  }
}

TEST_P(VectorTest, SoftmaxIsAccurateAtEveryLength) {
  std::mt19937 rng(45);
  for (std::size_t n = 1; n <= 131; ++n) {
    const auto x = testing::random_floats(rng, n, 30);
    std::vector<float> y = x;
    y.push_back(7);
    table().softmax(y.data(), static_cast<std::int64_t>(n));
    const double max = static_cast<double>(*std::max_element(x.begin(), x.end()));
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v) - max);
    for (std::size_t i = 0; i < n; ++i) {
      // Subtracting the maximum rounds to the spacing at |x - max|, which exp turns into a relative
      // error.
      const double away = max - static_cast<double>(x[i]), want = std::exp(-away) / sum;
      ASSERT_NEAR(static_cast<double>(y[i]), want, (5 + away) * kUnit * want + 1e-37) << n;
    }
    ASSERT_EQ(y[n], 7) << "wrote past the end";
  }
}

TEST_P(VectorTest, SoftmaxOfHiddenEntriesIsZero) {
  std::vector<float> x(40, 1.0F);
  x[3] = x[39] = -INFINITY;
  table().softmax(x.data(), 40);
  EXPECT_EQ(x[3], 0);
  EXPECT_EQ(x[39], 0);
  EXPECT_NEAR(x[0], 1.0F / 38, 1e-8);
}

}  // namespace
}  // namespace confab::kernels
