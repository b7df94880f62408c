// SPDX-License-Identifier: MIT
#include "engine/run/pcg32.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(Pcg32Test, GivesThePublishedStream) {
  // The first round of pcg32-demo in https://github.com/imneme/pcg-c-basic: seed 42, sequence 54.
  Pcg32 random(42, 54);
  for (const std::uint32_t want :
       {0xa15c02b7U, 0x7b47f409U, 0xba1d3330U, 0x83d2f293U, 0xbfa4784bU, 0xcbed606eU}) {
    EXPECT_EQ(random.next(), want);
  }
}

TEST(Pcg32Test, DoublesAreUniformInTheUnitInterval) {
  Pcg32 random(1);
  int bins[10] = {};
  for (int i = 0; i < 100000; ++i) {
    const double x = random.next_double();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++bins[static_cast<int>(x * 10)];
  }
  for (const int n : bins) EXPECT_NEAR(n, 10000, 4 * 95);  // 95: a bin's standard deviation
}

TEST(Pcg32Test, SeedsAndSequencesDiffer) {
  EXPECT_NE(Pcg32(1).next(), Pcg32(2).next());
  EXPECT_NE(Pcg32(1, 0).next(), Pcg32(1, 1).next());
}

}  // namespace
}  // namespace confab::engine
