// SPDX-License-Identifier: MIT
#include "app/screen/chat_screen.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using std::chrono::milliseconds;

TEST(SecondPressTest, CountsWithinTheWindowAndBeginsAnewAfterwards) {
  SecondPress key(milliseconds(1000));
  SecondPress::Clock::time_point now{std::chrono::hours(1)};
  EXPECT_FALSE(key.press(now));
  EXPECT_TRUE(key.press(now += milliseconds(999)));
  EXPECT_FALSE(key.press(now += milliseconds(1))) << "a third is a first";
  EXPECT_FALSE(key.press(now += milliseconds(1000))) << "too late";
  EXPECT_TRUE(key.press(now += milliseconds(1)));
}

}  // namespace
}  // namespace confab::app
