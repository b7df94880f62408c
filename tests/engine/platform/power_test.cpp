// SPDX-License-Identifier: MIT
#include "engine/platform/power.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

constexpr PowerSource::Clock::time_point kNow{std::chrono::hours(1)};

TEST(PowerTest, AFileSaysWhatTheReasonIs) {
  const TempDir home;
  const auto source = make_file_power_source(home / "power");
  const auto says = [&](const std::string& text) {
    home.file("power", text);
    return source->take(kNow);
  };
  EXPECT_EQ(source->take(kNow), PowerReason::none) << "there is no file";
  EXPECT_EQ(says("battery-saver\n"), PowerReason::battery_saver);
  EXPECT_EQ(says("low-battery"), PowerReason::low_battery);
  EXPECT_EQ(says("hot"), PowerReason::heat);
  EXPECT_EQ(says("normal\n"), PowerReason::none);
  EXPECT_EQ(says("cold"), PowerReason::none);
  EXPECT_TRUE(source->poll_interval());
}

#ifdef __linux__

const std::string kProfile = "sys/firmware/acpi/platform_profile";
const std::string kHint = "sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference";
const std::string kDaemon = "var/lib/power-profiles-daemon/state.ini";

class SystemPowerTest : public testing::Test {
 protected:
  // A source that knows of these files only.
  PowerReason first(const std::string& name, const std::string& text) {
    root.file(name, text + '\n');
    source = make_system_power_source(root.path());
    return source->take(now);
  }
  PowerReason then(const std::string& name, const std::string& text) {
    root.file(name, text + '\n');
    return source->take(now += std::chrono::seconds(5));
  }
  void battery(const std::string& name, const std::string& status, const std::string& capacity) {
    const std::string supply = "sys/class/power_supply/" + name;
    root.file(supply + "/type", "Battery\n");
    root.file(supply + "/status", status + '\n');
    root.file(supply + "/capacity", capacity + '\n');
  }

  const TempDir root;
  PowerSource::Clock::time_point now = kNow;
  std::unique_ptr<PowerSource> source = make_system_power_source(root.path());
};

TEST_F(SystemPowerTest, AMachineThatTellsNothingIsNotAsked) {
  EXPECT_EQ(source->take(now), PowerReason::none);
  EXPECT_FALSE(source->poll_interval());
}

TEST_F(SystemPowerTest, ThePlatformsProfileMaySavePower) {
  EXPECT_EQ(first(kProfile, "low-power"), PowerReason::battery_saver);
  EXPECT_TRUE(source->poll_interval());
  EXPECT_EQ(then(kProfile, "balanced"), PowerReason::none);
  EXPECT_EQ(then(kProfile, "quiet"), PowerReason::battery_saver);
  EXPECT_EQ(then(kProfile, "performance"), PowerReason::none);
}

TEST_F(SystemPowerTest, TheProcessorsMaySavePower) {
  root.file("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(first(kHint, "power"), PowerReason::battery_saver);
  EXPECT_EQ(then(kHint, "balance_power"), PowerReason::none);
}

TEST_F(SystemPowerTest, TheDaemonIsBelievedWhereThereIsNoDriver) {
  const std::string saver = "[State]\nVersion=0\nProfile=power-saver";
  EXPECT_EQ(first(kDaemon, saver), PowerReason::battery_saver);
  EXPECT_EQ(then(kDaemon, "[State]\nProfile=balanced"), PowerReason::none);
  EXPECT_EQ(then(kDaemon, saver), PowerReason::battery_saver);
  EXPECT_EQ(first(kHint, "balance_performance"), PowerReason::none) << "it may be gone";
}

TEST_F(SystemPowerTest, ABatteryThatIsNearlyEmptyIsAReasonUntilItIsCharged) {
  battery("BAT0", "Discharging", "21");
  source = make_system_power_source(root.path());
  EXPECT_TRUE(source->poll_interval());
  EXPECT_EQ(source->take(now), PowerReason::none);
  battery("BAT0", "Discharging", "20");
  EXPECT_EQ(source->take(now), PowerReason::low_battery);
  battery("BAT0", "Charging", "20");
  EXPECT_EQ(source->take(now), PowerReason::none);
  battery("BAT0", "Discharging", "what is this");
  EXPECT_EQ(source->take(now), PowerReason::none) << "nobody knows";
}

TEST_F(SystemPowerTest, OfTwoBatteriesTheFullerOneCounts) {
  battery("BAT0", "Discharging", "5");
  battery("BAT1", "Unknown", "80");
  source = make_system_power_source(root.path());
  EXPECT_EQ(source->take(now), PowerReason::none);
  battery("BAT1", "Unknown", "10");
  EXPECT_EQ(source->take(now), PowerReason::low_battery);
}

TEST_F(SystemPowerTest, TheBatteryOfAMouseIsItsOwn) {
  battery("hid-1", "Discharging", "5");
  root.file("sys/class/power_supply/hid-1/scope", "Device\n");
  root.file("sys/class/power_supply/AC/type", "Mains\n");
  source = make_system_power_source(root.path());
  EXPECT_EQ(source->take(now), PowerReason::none);
  EXPECT_FALSE(source->poll_interval());
}

TEST_F(SystemPowerTest, HeatWeighsMoreThanBatteriesAndTheseMoreThanWishes) {
  const std::string zone = "sys/class/thermal/thermal_zone0/";
  root.file(zone + "trip_point_0_type", "passive\n");
  root.file(zone + "trip_point_0_temp", "90000\n");
  root.file(kProfile, "low-power\n");
  battery("BAT0", "Discharging", "10");
  EXPECT_EQ(first(zone + "temp", "91000"), PowerReason::heat);
  EXPECT_EQ(then(zone + "temp", "86000"), PowerReason::heat);
  EXPECT_EQ(then(zone + "temp", "85000"), PowerReason::low_battery);
  battery("BAT0", "Full", "100");
  EXPECT_EQ(source->take(now), PowerReason::battery_saver);
}

TEST_F(SystemPowerTest, ProcessorsThatAreSlowedDownAreHot) {
  const std::string counter = "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count";
  EXPECT_EQ(first(counter, "1000"), PowerReason::none);
  EXPECT_EQ(then(counter, "1010"), PowerReason::none);
  EXPECT_EQ(then(counter, "1020"), PowerReason::heat);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(then(counter, "1020"), PowerReason::heat);
  EXPECT_EQ(then(counter, "1020"), PowerReason::none);
}

TEST_F(SystemPowerTest, ThisMachineCanBeAsked) {
  make_system_power_source("/")->take(now);
}

#endif

}  // namespace
}  // namespace confab::engine::platform
