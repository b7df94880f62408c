// SPDX-License-Identifier: MIT
#include "kernels/vulkan/expected_end.h"

#include <gtest/gtest.h>

namespace confab::kernels::vulkan {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// Commands that take so long, looked at from `late` on at the earliest.
nanoseconds run(ExpectedEnd& end, nanoseconds took, nanoseconds late = 0ns) {
  const nanoseconds first_look = std::max(late, end.from());
  const bool was_running = first_look < took;
  const nanoseconds seen = std::max(first_look, took);
  end.seen(seen, was_running);
  return seen;
}

TEST(ExpectedEndTest, KnowsNothingAtFirst) {
  const ExpectedEnd end;
  EXPECT_EQ(end.from(), 0ns);
  EXPECT_EQ(end.until(), 0ns);
}

TEST(ExpectedEndTest, IsLookedForAroundTheLastOne) {
  ExpectedEnd end;
  run(end, 1ms);
  EXPECT_EQ(end.from(), 750us);
  EXPECT_EQ(end.until(), 1250us);
  run(end, 100ms);
  EXPECT_EQ(end.from(), 99500us);
  EXPECT_EQ(end.until(), 100500us);
}

// What kept the processor from looking once, programs that had to be compiled say, does not keep
// it from looking the next time.
TEST(ExpectedEndTest, OneLateLookCostsNoOther) {
  ExpectedEnd end;
  run(end, 15ms);
  EXPECT_EQ(run(end, 15ms, 1200ms), 1200ms);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(end, 15ms), 15ms);
}

TEST(ExpectedEndTest, WhatGetsFasterIsSeenAtOnce) {
  ExpectedEnd end;
  run(end, 100ms);
  EXPECT_EQ(run(end, 15ms), 99500us);
  EXPECT_EQ(run(end, 15ms), 15ms);
  EXPECT_EQ(end.from(), 14500us);
}

}  // namespace
}  // namespace confab::kernels::vulkan
