// SPDX-License-Identifier: MIT
// Whether to spare this machine: because the user wants to save power, the battery is nearly empty,
// or the machine is hot.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace confab::engine::platform {

// In order of weight; the last weighs most.
enum class PowerReason { none, battery_saver, low_battery, heat };

// Never wakes anybody. Ask it before an answer, and every poll_interval() while the answer is
// written. Thread class: confined to one thread.
class PowerSource {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~PowerSource() = default;

  // The weightiest reason at present; none if there is none or it is not known. Reads a few small
  // files. Heat stays a reason until it is certainly over (see Throttling). `now` must not go back.
  virtual PowerReason take(Clock::time_point now) = 0;
  // nullopt if there will never be a reason.
  virtual std::optional<std::chrono::milliseconds> poll_interval() const noexcept = 0;
};

// Returns the first source that exists; never nullptr:
// - the file that $CONFAB_POWER names, for tests. It contains normal, battery-saver, low-battery or
//   hot; a missing file means normal.
// - Linux: the platform profile (low-power, quiet) and the processors' preference (power), or
//   without these the profile set in power-profiles-daemon; batteries that are discharging and have
//   kLowCharge or less; thermal zones and counters.
// - macOS: low power mode, and thermal pressure from "heavy" on.
std::unique_ptr<PowerSource> make_power_source();
// The same as for the file in $CONFAB_POWER.
std::unique_ptr<PowerSource> make_file_power_source(const std::filesystem::path& file);
#ifdef __linux__
// The system's source, with /sys and /var below another root.
std::unique_ptr<PowerSource> make_system_power_source(const std::filesystem::path& root);
#endif

// In % of what the battery can hold.
inline constexpr int kLowCharge = 20;

using HeatClock = std::chrono::steady_clock;

// Decides from a counter of thermal throttling events whether the machine is hot. Short throttling
// at the start of a load does not count; lasting throttling does.
class Throttling {
 public:
  // Throttling for at least this long is heat.
  static constexpr std::chrono::seconds kSpike{8};
  // After this long without throttling, the heat is over. A counter that was not read for this long
  // says nothing about the present.
  static constexpr std::chrono::seconds kStill{30};

  // Takes the counter's value at `now`, which must not go back. Returns whether the machine is hot.
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

// Whether this machine slows down because it is hot, or is about to, according to Linux's /sys.
// Temperatures are in 1/1000 °C.
class HeatWatch {
 public:
  // A zone that has reached its trip point counts as hot until it is this much cooler.
  static constexpr std::int64_t kCooler = 5000;
  // Lower trip points are placeholders that nobody has set.
  static constexpr std::int64_t kLowestTrip = 40'000;

  // Looks below this root for thermal zones that slow something down
  // (Documentation/driver-api/thermal/sysfs-api.rst) and for counters.
  explicit HeatWatch(const std::filesystem::path& root);

  // Whether there is anything to read.
  bool has_sensors() const noexcept { return !zones_.empty() || !counters_.empty(); }
  // Reads these files; a few microseconds each.
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
