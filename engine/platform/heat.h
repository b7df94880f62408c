// SPDX-License-Identifier: MIT
// Whether this machine slows down because it is hot, or is about to: by what Linux tells below
// /sys.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace confab::engine::platform {

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

// Temperatures are in 1/1000 °C.
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
