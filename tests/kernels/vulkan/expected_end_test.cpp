// SPDX-License-Identifier: MIT
#include "kernels/vulkan/expected_end.h"

#include <gtest/gtest.h>

namespace confab::kernels::vulkan {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// A machine whose sleepers and whose driver's waiters are woken late.
struct Machine {
  nanoseconds oversleep = 0ns, late_waking = 0ns;

  // When commands that take so long are seen to have ended; busy: so long nobody can look.
  nanoseconds run(ExpectedEnd& end, nanoseconds took, nanoseconds busy = 0ns) const {
    const nanoseconds woken = end.from() > 0ns ? end.from() + oversleep : 0ns;
    const nanoseconds first_look = std::max(busy, woken);
    const auto seen = [&](nanoseconds at, ExpectedEnd::How how) {
      end.seen(at, first_look, how);
      return at;
    };
    if (first_look >= took) return seen(first_look, ExpectedEnd::How::late);
    if (took <= end.until()) return seen(took, ExpectedEnd::How::looking);
    return seen(took + late_waking, ExpectedEnd::How::told);
  }
};

const Machine kPunctual;  // whose threads are woken at once

TEST(ExpectedEndTest, KnowsNothingAtFirst) {
  const ExpectedEnd end;
  EXPECT_EQ(end.from(), 0ns);
  EXPECT_EQ(end.until(), 0ns);
}

TEST(ExpectedEndTest, IsLookedForAroundTheLastOne) {
  ExpectedEnd end;
  kPunctual.run(end, 1ms);
  kPunctual.run(end, 1ms);
  EXPECT_EQ(end.from(), 750us);
  EXPECT_EQ(end.until(), 1250us);
  for (int i = 0; i < 2; ++i) kPunctual.run(end, 100ms);
  EXPECT_EQ(end.from(), 99500us);
  EXPECT_EQ(end.until(), 100500us);
}

// What kept the processor from looking once, programs that had to be compiled say, does not keep
// it from looking the next time.
TEST(ExpectedEndTest, OneLateLookCostsNoOther) {
  ExpectedEnd end;
  for (int i = 0; i < 2; ++i) kPunctual.run(end, 15ms);
  EXPECT_EQ(kPunctual.run(end, 15ms, 1200ms), 1200ms);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kPunctual.run(end, 15ms), 15ms);
}

TEST(ExpectedEndTest, WhatGetsFasterIsSeenAtOnce) {
  ExpectedEnd end;
  for (int i = 0; i < 2; ++i) kPunctual.run(end, 100ms);
  EXPECT_EQ(kPunctual.run(end, 15ms), 99500us);
  EXPECT_EQ(kPunctual.run(end, 15ms), 15ms);
  EXPECT_EQ(end.from(), 14ms);
}

// Passes of 0.7 ms on a machine that wakes threads a third of a millisecond late.
TEST(ExpectedEndTest, LateWakersAreAllowedFor) {
  for (const Machine machine : {Machine{350us, 350us}, Machine{350us, 0us}, Machine{0us, 350us}}) {
    ExpectedEnd end;
    for (int i = 0; i < 4; ++i) machine.run(end, 690us);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(machine.run(end, 690us), 690us) << i;
    EXPECT_EQ(machine.run(end, 690us, 5ms), 5ms);
    for (int i = 0; i < 4; ++i) machine.run(end, 690us);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(machine.run(end, 690us), 690us) << i;
  }
}

// Nor is the processor kept awake for long where sleepers are woken in time.
TEST(ExpectedEndTest, AnOversleepIsForgotten) {
  ExpectedEnd end;
  for (int i = 0; i < 3; ++i) Machine{400us, 0us}.run(end, 10ms);
  EXPECT_LT(end.from(), 9200us);
  for (int i = 0; i < 30; ++i) kPunctual.run(end, 10ms);
  EXPECT_GT(end.from(), 9450us);
}

}  // namespace
}  // namespace confab::kernels::vulkan
