// SPDX-License-Identifier: MIT
#include "app/pull/model_pull.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

constexpr std::uint64_t kMib = 1 << 20;

TEST(PullProgressTest, SaysHowFastAndHowLong) {
  PullProgress progress(100 * kMib);
  PullProgress::Clock::time_point now{};
  progress.set(0, now);
  EXPECT_EQ(progress.text(), "0 B of 100.0 MiB");
  for (std::uint64_t i = 1; i <= 4; ++i)
    progress.set(10 * i * kMib, now += std::chrono::seconds(1));
  EXPECT_EQ(progress.text(), "40.0 MiB of 100.0 MiB, 10.0 MiB/s, 7 s left");
  EXPECT_EQ(progress.percent(), 40);
}

TEST(PullProgressTest, WhatWasThereBeforeIsNoSpeed) {
  PullProgress progress(100 * kMib);
  PullProgress::Clock::time_point now{};
  progress.set(90 * kMib, now);
  progress.set(91 * kMib, now + std::chrono::seconds(2));
  EXPECT_EQ(progress.text(), "91.0 MiB of 100.0 MiB, 512.0 KiB/s, 19 s left");
}

TEST(PullProgressTest, StandingStillHasNoEnd) {
  PullProgress progress(100 * kMib);
  PullProgress::Clock::time_point now{};
  progress.set(kMib, now);
  progress.set(kMib, now + std::chrono::seconds(3));
  EXPECT_EQ(progress.text(), "1.0 MiB of 100.0 MiB, 0 B/s");
  progress.set(0, now + std::chrono::seconds(4));
  EXPECT_EQ(progress.text(), "0 B of 100.0 MiB") << "begun anew";
}

}  // namespace
}  // namespace confab::app
