// SPDX-License-Identifier: MIT
#include "engine/run/sampling/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/run/pcg32.h"

namespace confab::engine {
namespace {

void expect_near(double found, double want, double relative, double x) {
  EXPECT_NEAR(found, want, relative * std::abs(want)) << x;
}

TEST(PortableMathTest, ExpIsTheLibrarysToFourteenDigits) {
  for (double x = -707.5; x < 709; x += 0.37) expect_near(portable_exp(x), std::exp(x), 1e-13, x);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(portable_exp(-1e9), 0);
}

TEST(PortableMathTest, LogarithmsAreTheLibrarys) {
  Pcg32 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double x =
        std::ldexp(1 + random.next_double(), static_cast<int>(random.next() % 600) - 300);
    expect_near(portable_log(x), std::log(x), 1e-14, x);
    expect_near(portable_log2(x), std::log2(x), 1e-14, x);
  }
  for (const double x : {0.9999, 0.99999999, 1.0000001, 1.01})
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-17 + 1e-14 * std::abs(std::log(x))) << x;
  EXPECT_EQ(portable_log(1), 0);
}

TEST(PortableMathTest, PowersAreTheLibrarysAndEnd) {
  for (const double base : {0.001, 0.5, 1.0, 1.75, 30.0})
    for (const double exponent : {-3.0, -0.5, 0.0, 0.25, 1.0, 2.0, 17.5})
      expect_near(portable_pow(base, exponent), std::pow(base, exponent), 1e-12, base);
  EXPECT_EQ(portable_pow(0, 0.5), 0);
  EXPECT_EQ(portable_pow(0, 0), 1);
  EXPECT_EQ(portable_pow(10, 1e6), 1e300);
}

// Recorded on x86-64 with g++ 12; every machine must give the same bits.
TEST(PortableMathTest, TheBitsAreTheSameEverywhere) {
  EXPECT_EQ(portable_exp(-1), 0x1.78b56362cef2bp-2);
  EXPECT_EQ(portable_log(10), 0x1.26bb1bbb55516p+1);
}

}  // namespace
}  // namespace confab::engine
