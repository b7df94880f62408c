// SPDX-License-Identifier: MIT
#include "engine/platform/heat.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/platform/system_file.h"

namespace confab::engine::platform {
namespace {

namespace fs = std::filesystem;

// Folders of this name with a number after it.
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

// The lowest temperature at which something is slowed down, or the system warns.
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

}  // namespace confab::engine::platform
