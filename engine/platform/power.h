// SPDX-License-Identifier: MIT
// Whether this machine had better be spared: because somebody wants it to save power, because its
// battery is nearly empty, or because it is hot.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace confab::engine::platform {

// That which weighs most is the last.
enum class PowerReason { none, battery_saver, low_battery, heat };

// Never wakes anybody: it is to be asked before an answer, and each poll_interval() while it is
// written. Thread class: confined to one thread.
class PowerSource {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~PowerSource() = default;

  // The reason that there is now, the last of several; none: nothing, or nobody can tell. Costs the
  // reading of a few small files. Heat stays a reason until it is sure to be over (Throttling).
  // `now` does not go back.
  virtual PowerReason take(Clock::time_point now) = 0;
  // nullopt: there will never be anything to tell.
  virtual std::optional<std::chrono::milliseconds> poll_interval() const noexcept = 0;
};

// The first of these that there is; never nullptr:
// - the file that $CONFAB_POWER names, for tests: it says normal, battery-saver, low-battery or
//   hot, and normal when it is not there;
// - Linux: the platform's profile (low-power, quiet), the processors' preference (power), else the
//   profile that power-profiles-daemon was given; batteries that are being used up and have
//   kLowCharge or less; thermal zones and counters;
// - macOS: low power mode, and the thermal pressure from "heavy" on.
std::unique_ptr<PowerSource> make_power_source();
// As for the file of $CONFAB_POWER.
std::unique_ptr<PowerSource> make_file_power_source(const std::filesystem::path& file);
#ifdef __linux__
// The system's, with /sys and /var below another root.
std::unique_ptr<PowerSource> make_system_power_source(const std::filesystem::path& root);
#endif

// Of what a battery can hold, in %.
inline constexpr int kLowCharge = 20;

using HeatClock = std::chrono::steady_clock;

// The times that processors were slowed down by heat, as a counter tells them. Where a load begins
// they are for a moment, which is nothing to act upon; what lasts is.
class Throttling {
 public:
  // Heat is what goes on for so long,
  static constexpr std::chrono::seconds kSpike{8};
  // and is over when there was none for so long. A counter that nobody has looked at in this time
  // says nothing of now.
  static constexpr std::chrono::seconds kStill{30};

  // What the counter says at this time, which does not go back. Whether it is hot.
  bool take(std::int64_t count, HeatClock::time_point now) noexcept;

 private:
  struct Rise {
    HeatClock::time_point begin, last;
  };
  std::optional<HeatClock::time_point> taken_ = {};
  std::int64_t count_ = 0;
  std::optional<Rise> rise_ = {};
  bool is_hot_ = false;
};

// Whether this machine slows down because it is hot, or is about to: by what Linux tells below
// /sys. Temperatures are in 1/1000 °C.
class HeatWatch {
 public:
  // A zone that has come to a trip point is hot until it is so much cooler.
  static constexpr std::int64_t kCooler = 5000;
  // Trip points below are those that nobody has set.
  static constexpr std::int64_t kLowestTrip = 40'000;

  // Finds out which files there are, of thermal zones that slow something down
  // (Documentation/driver-api/thermal/sysfs-api.rst) and of counters, below this root.
  explicit HeatWatch(const std::filesystem::path& root);

  // Whether there is anything to look at.
  bool has_sensors() const noexcept { return !zones_.empty() || !counters_.empty(); }
  // Costs the reading of these files, a few microseconds each.
  bool is_hot(HeatClock::time_point now);

 private:
  struct Zone {
    std::filesystem::path file;
    std::int64_t trip;
    bool is_hot = false;
  };
  std::vector<Zone> zones_ = {};
  std::vector<std::filesystem::path> counters_ = {};
  Throttling throttling_ = {};
};

}  // namespace confab::engine::platform
