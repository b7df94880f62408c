// SPDX-License-Identifier: MIT
#include "engine/platform/power.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

using std::chrono::seconds;

// Asks each five seconds what becomes of a counter.
class ThrottlingTest : public testing::Test {
 protected:
  bool after(seconds time, std::int64_t rise) {
    now_ += time;
    return throttling_.take(count_ += rise, now_);
  }

 private:
  Throttling throttling_;
  std::int64_t count_ = 1000;
  HeatClock::time_point now_{std::chrono::hours(1)};
};

TEST_F(ThrottlingTest, ACounterThatStandsStillIsNotHeat) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(after(seconds(5), 0));
}

TEST_F(ThrottlingTest, OneRiseIsNotHeat) {
  EXPECT_FALSE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(5), 100));
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(5), 100)) << "the first one is forgotten";
}

TEST_F(ThrottlingTest, ACounterThatGoesOnRisingIsHeatUntilItHasStoodStill) {
  EXPECT_FALSE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(5), 1));
  EXPECT_TRUE(after(seconds(5), 1));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(5), 0)) << "it has stood still for 30 s";
  EXPECT_FALSE(after(seconds(5), 1)) << "that would be the next one's beginning";
  EXPECT_TRUE(after(seconds(5), 1));
}

TEST_F(ThrottlingTest, EachRiseBeginsTheTimeAgain) {
  EXPECT_FALSE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(5), 1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(after(seconds(25), 1));
    EXPECT_TRUE(after(seconds(25), 0));
    EXPECT_TRUE(after(seconds(4), 1));
  }
}

TEST_F(ThrottlingTest, WhatItSaidLongAgoIsNothing) {
  EXPECT_FALSE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(31), 1000));
  EXPECT_FALSE(after(seconds(31), 1000));
  EXPECT_FALSE(after(seconds(5), 1));
  EXPECT_TRUE(after(seconds(5), 1));
  EXPECT_FALSE(after(seconds(31), 1)) << "nobody knows what was in between";
}

TEST_F(ThrottlingTest, ACounterThatBeginsAgainIsNotHeat) {
  EXPECT_FALSE(after(seconds(5), 0));
  EXPECT_FALSE(after(seconds(5), -900));
  EXPECT_FALSE(after(seconds(5), -10));
}

class HeatWatchTest : public testing::Test {
 protected:
  void zone(int i, const std::string& file, const std::string& text) {
    root.file("sys/class/thermal/thermal_zone" + std::to_string(i) + '/' + file, text + '\n');
  }
  void trip(int i, int point, const std::string& type, const std::string& temperature) {
    zone(i, "trip_point_" + std::to_string(point) + "_type", type);
    zone(i, "trip_point_" + std::to_string(point) + "_temp", temperature);
  }
  void counter(int cpu, const std::string& of, int count) {
    root.file("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/thermal_throttle/" + of +
                  "_throttle_count",
              std::to_string(count) + '\n');
  }
  bool is_hot(HeatWatch& watch) { return watch.is_hot(now += seconds(5)); }

  const TempDir root;
  HeatClock::time_point now{std::chrono::hours(1)};
};

TEST_F(HeatWatchTest, WithoutSensorsNothingIsHot) {
  HeatWatch watch(root.path());
  EXPECT_FALSE(watch.has_sensors());
  EXPECT_FALSE(is_hot(watch));
}

TEST_F(HeatWatchTest, AZoneIsHotFromItsTripPointOnUntilItIsMuchCooler) {
  trip(0, 0, "critical", "105000");
  trip(0, 1, "active", "55000");
  trip(0, 2, "hot", "98000");
  trip(0, 3, "passive", "95000");
  zone(0, "temp", "94999");
  HeatWatch watch(root.path());
  EXPECT_TRUE(watch.has_sensors());
  EXPECT_FALSE(is_hot(watch));
  zone(0, "temp", "95000");
  EXPECT_TRUE(is_hot(watch));
  zone(0, "temp", "90001");
  EXPECT_TRUE(is_hot(watch));
  zone(0, "temp", "90000");
  EXPECT_FALSE(is_hot(watch));
  zone(0, "temp", "94999");
  EXPECT_FALSE(is_hot(watch));
}

TEST_F(HeatWatchTest, OneHotZoneOfManyIsEnough) {
  trip(0, 0, "passive", "90000");
  zone(0, "temp", "50000");
  trip(11, 0, "hot", "80000");
  zone(11, "temp", "81000");
  HeatWatch watch(root.path());
  EXPECT_TRUE(is_hot(watch));
  zone(11, "temp", "what is this");
  EXPECT_FALSE(is_hot(watch)) << "nobody knows";
}

// So do zones say that nobody has set a trip point.
TEST_F(HeatWatchTest, TripPointsThatNobodyHasSetAreNone) {
  trip(0, 0, "passive", "-274000");
  trip(0, 1, "passive", "0");
  zone(0, "temp", "99000");
  trip(1, 0, "critical", "60000");
  zone(1, "temp", "61000");
  HeatWatch watch(root.path());
  EXPECT_FALSE(watch.has_sensors());
  EXPECT_FALSE(is_hot(watch));
}

TEST_F(HeatWatchTest, CountersOfCoresAndPackagesAreBoth) {
  counter(0, "core", 5);
  counter(0, "package", 7);
  counter(13, "core", 0);
  root.file("sys/devices/system/cpu/cpufreq/thermal_throttle/core_throttle_count", "1\n");
  HeatWatch watch(root.path());
  EXPECT_TRUE(watch.has_sensors());
  EXPECT_FALSE(is_hot(watch));
  counter(0, "package", 8);
  EXPECT_FALSE(is_hot(watch));
  counter(13, "core", 1);
  EXPECT_TRUE(is_hot(watch));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(is_hot(watch));
  EXPECT_FALSE(is_hot(watch));
}

}  // namespace
}  // namespace confab::engine::platform
