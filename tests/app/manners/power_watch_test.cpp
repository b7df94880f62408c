// SPDX-License-Identifier: MIT
#include "app/manners/sparing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using engine::platform::PowerReason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PowerWatchTest, IsAskedEachFiveSecondsWhileAnAnswerIsWritten) {
  PowerWatch watch(5s);
  const PowerWatch::Clock::time_point now{1h};
  EXPECT_TRUE(watch.is_due(now));
  EXPECT_EQ(watch.take(PowerReason::none, now), std::nullopt);
  EXPECT_FALSE(watch.is_due(now + 4s));
  EXPECT_EQ(watch.due(true), now + 5s);
  EXPECT_EQ(watch.due(false), std::nullopt) << "an idle program sleeps";
  EXPECT_EQ(watch.take(PowerReason::heat, now + 5s), PowerReason::heat);
  EXPECT_EQ(watch.take(PowerReason::heat, now + 10s), std::nullopt);
  EXPECT_EQ(watch.take(PowerReason::none, now + 15s), PowerReason::none);
}

TEST(PowerWatchTest, IsNeverAskedWhereThereIsNothingToTell) {
  const PowerWatch watch(std::nullopt);
  EXPECT_FALSE(watch.is_due(PowerWatch::Clock::time_point{1h}));
  EXPECT_EQ(watch.due(true), std::nullopt);
}

using PowerScreenTest = ScreenFixture;

TEST_F(PowerScreenTest, SparesTheMachineWhileThereIsAReasonAndSaysIt) {
  submit("hello");
  EXPECT_THAT(model().spared_power, ElementsAre());
  host_.power = PowerReason::heat;
  wait(5s);
  EXPECT_THAT(model().spared_power, ElementsAre(true));
  EXPECT_TRUE(screen_.spares_power());
  EXPECT_THAT(text(12, 100), HasSubstr("too hot: half the threads"));
  host_.power = PowerReason::none;
  wait(5s);
  EXPECT_THAT(model().spared_power, ElementsAre(true, false));
  EXPECT_THAT(text(12, 100), Not(HasSubstr("too hot")));
  answer("hi");
  const int n_asked = host_.n_power_asked;
  wait(60s);
  EXPECT_EQ(host_.n_power_asked, n_asked) << "nobody uses it";
  host_.power = PowerReason::battery_saver;
  type("a");
  EXPECT_TRUE(screen_.spares_power());
}

}  // namespace
}  // namespace confab::app
