// SPDX-License-Identifier: MIT
// Whether this machine had better be spared: because somebody wants it to save power, because its
// battery is nearly empty, or because it is hot.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

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
  // reading of a few small files. Heat stays a reason until it is sure to be over (heat.h). `now`
  // does not go back.
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

}  // namespace confab::engine::platform
