// SPDX-License-Identifier: MIT
#include "engine/platform/power.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>
#ifdef __APPLE__
#include <libkern/OSThermalNotification.h>
#endif

#include "engine/platform/system_file.h"

#ifdef __APPLE__
// notify(3), which is part of the C library.
extern "C" {
std::uint32_t notify_register_check(const char* name, int* token);
std::uint32_t notify_get_state(int token, std::uint64_t* state);
std::uint32_t notify_cancel(int token);
}
#endif

namespace confab::engine::platform {
namespace {

namespace fs = std::filesystem;

// Folders with this name followed by a number.
std::vector<fs::path> numbered(const fs::path& folder, std::string_view name) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string own = entry.path().filename().string();
    if (own.starts_with(name) && own.find_first_not_of("0123456789", name.size()) == own.npos)
      found.push_back(entry.path());
  }
  return found;
}

// The lowest temperature at which something is slowed down or the system warns.
std::optional<std::int64_t> find_trip(const fs::path& zone) {
  std::optional<std::int64_t> lowest;
  for (int i = 0;; ++i) {
    const std::string point = "trip_point_" + std::to_string(i);
    const std::string type = first_word(zone / (point + "_type"));
    if (type.empty()) return lowest;
    const auto trip = first_number(zone / (point + "_temp"));
    if ((type != "passive" && type != "hot") || trip.value_or(0) < HeatWatch::kLowestTrip) continue;
    lowest = std::min(*trip, lowest.value_or(*trip));
  }
}

}  // namespace

bool Throttling::take(std::int64_t count, HeatClock::time_point now) noexcept {
  const bool is_known = taken_ && now - *taken_ <= kStill;
  if (!is_known || (rise_ && now - rise_->last >= kStill)) {
    rise_.reset();
    is_hot_ = false;
  }
  if (is_known && count > count_) {
    rise_ = {rise_ ? rise_->begin : *taken_, now};
    is_hot_ = is_hot_ || now - rise_->begin >= kSpike;
  }
  taken_ = now;
  count_ = count;
  return is_hot_;
}

HeatWatch::HeatWatch(const fs::path& root) {
  for (const fs::path& zone : numbered(root / "sys/class/thermal", "thermal_zone")) {
    if (const auto trip = find_trip(zone)) zones_.push_back({zone / "temp", *trip});
  }
  for (const fs::path& cpu : numbered(root / "sys/devices/system/cpu", "cpu")) {
    for (const char* name : {"core_throttle_count", "package_throttle_count"}) {
      const fs::path file = cpu / "thermal_throttle" / name;
      if (first_number(file)) counters_.push_back(file);
    }
  }
}

bool HeatWatch::is_hot(HeatClock::time_point now) {
  std::int64_t n_throttled = 0;
  for (const fs::path& counter : counters_) n_throttled += first_number(counter).value_or(0);
  bool any = throttling_.take(n_throttled, now);
  for (Zone& zone : zones_) {
    const auto temperature = first_number(zone.file);
    zone.is_hot = temperature &&
                  (zone.is_hot ? *temperature > zone.trip - kCooler : *temperature >= zone.trip);
    any = any || zone.is_hot;
  }
  return any;
}

namespace {

using Milliseconds = std::chrono::milliseconds;

// Heat and batteries do not change faster than this.
constexpr Milliseconds kPollInterval{5000};

class FileSource final : public PowerSource {
 public:
  explicit FileSource(fs::path file) : file_(std::move(file)) {}

  PowerReason take(Clock::time_point /*now*/) override {
    const std::string word = first_word(file_);
    if (word == "hot") return PowerReason::heat;
    if (word == "low-battery") return PowerReason::low_battery;
    return word == "battery-saver" ? PowerReason::battery_saver : PowerReason::none;
  }
  std::optional<Milliseconds> poll_interval() const noexcept override { return kPollInterval; }

 private:
  fs::path file_;
};

#ifdef __linux__

// A file with the machine's power profile, and the words in it that mean saving power.
struct Profile {
  fs::path file;
  std::vector<std::string_view> saving;
};

bool is_saving(const Profile& profile) {
  std::ifstream in(profile.file);
  for (std::string word; in >> word;)
    if (std::ranges::find(profile.saving, word) != profile.saving.end()) return true;
  return false;
}

// Documentation/ABI/testing/sysfs-platform_profile; Documentation/admin-guide/pm/intel_pstate.rst,
// "Energy vs Performance Hints", which other drivers have as well. All processors have the same
// hint unless somebody sets them one by one, so any of them will do.
//
// The daemon controls the drivers that own these files. Its state file is read only if there is no
// driver: it keeps the last choice even after the daemon has stopped.
std::vector<Profile> find_profiles(const fs::path& root) {
  std::vector<Profile> found;
  const auto add = [&](const fs::path& file, std::vector<std::string_view> saving) {
    if (!first_word(file).empty()) found.push_back({file, std::move(saving)});
  };
  add(root / "sys/firmware/acpi/platform_profile", {"low-power", "quiet"});
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu/cpufreq", error)) {
    const std::size_t n_before = found.size();
    add(entry.path() / "energy_performance_preference", {"power"});
    if (found.size() > n_before) break;
  }
  if (found.empty()) add(root / "var/lib/power-profiles-daemon/state.ini", {"Profile=power-saver"});
  return found;
}

// Documentation/ABI/testing/sysfs-class-power. Leaves out batteries of mice and headsets.
std::vector<fs::path> find_batteries(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/class/power_supply", error)) {
    const fs::path& supply = entry.path();
    if (first_word(supply / "type") == "Battery" && first_word(supply / "scope") != "Device")
      found.push_back(supply);
  }
  return found;
}

class SystemSource final : public PowerSource {
 public:
  explicit SystemSource(const fs::path& root)
      : profiles_(find_profiles(root)), batteries_(find_batteries(root)), heat_(root) {}

  PowerReason take(Clock::time_point now) override {
    if (heat_.is_hot(now)) return PowerReason::heat;
    if (is_battery_low()) return PowerReason::low_battery;
    return std::ranges::any_of(profiles_, is_saving) ? PowerReason::battery_saver
                                                     : PowerReason::none;
  }
  std::optional<Milliseconds> poll_interval() const noexcept override {
    const bool any = !profiles_.empty() || !batteries_.empty() || heat_.has_sensors();
    return any ? std::optional(kPollInterval) : std::nullopt;
  }

 private:
  // Several batteries are used up one after the other, so the fullest one counts.
  bool is_battery_low() const {
    bool is_used_up = false;
    std::int64_t charge = -1;
    for (const fs::path& battery : batteries_) {
      is_used_up = is_used_up || first_word(battery / "status") == "Discharging";
      charge = std::max(charge, first_number(battery / "capacity").value_or(-1));
    }
    return is_used_up && charge >= 0 && charge <= kLowCharge;
  }

  std::vector<Profile> profiles_;
  std::vector<fs::path> batteries_;
  HeatWatch heat_;
};

#endif

#ifdef __APPLE__

// A number that the system publishes under a name.
class SystemState {
 public:
  explicit SystemState(const char* name) : is_there_(notify_register_check(name, &token_) == 0) {}
  ~SystemState() {
    if (is_there_) notify_cancel(token_);
  }
  SystemState(const SystemState&) = delete;
  SystemState& operator=(const SystemState&) = delete;

  // 0 if it is not known.
  std::uint64_t get() const {
    std::uint64_t state = 0;
    return is_there_ && notify_get_state(token_, &state) == 0 ? state : 0;
  }

 private:
  int token_ = -1;
  bool is_there_;
};

// The system applies its own hysteresis.
class NotifySource final : public PowerSource {
 public:
  PowerReason take(Clock::time_point /*now*/) override {
    if (heat_.get() >= kOSThermalPressureLevelHeavy) return PowerReason::heat;
    return saver_.get() != 0 ? PowerReason::battery_saver : PowerReason::none;
  }
  std::optional<Milliseconds> poll_interval() const noexcept override { return kPollInterval; }

 private:
  SystemState heat_{kOSThermalNotificationPressureLevelName};
  SystemState saver_{"com.apple.system.lowpowermode"};
};

#endif

#if !defined(__linux__) && !defined(__APPLE__)

class NoSource final : public PowerSource {
 public:
  PowerReason take(Clock::time_point /*now*/) override { return PowerReason::none; }
  std::optional<Milliseconds> poll_interval() const noexcept override { return std::nullopt; }
};

#endif

}  // namespace

std::unique_ptr<PowerSource> make_file_power_source(const fs::path& file) {
  return std::make_unique<FileSource>(file);
}

#ifdef __linux__

std::unique_ptr<PowerSource> make_system_power_source(const fs::path& root) {
  return std::make_unique<SystemSource>(root);
}

#endif

std::unique_ptr<PowerSource> make_power_source() {
  const char* file = std::getenv("CONFAB_POWER");
  if (file != nullptr && *file != '\0') return make_file_power_source(file);
#if defined(__linux__)
  return make_system_power_source("/");
#elif defined(__APPLE__)
  return std::make_unique<NotifySource>();
#else
  return std::make_unique<NoSource>();
#endif
}

}  // namespace confab::engine::platform
