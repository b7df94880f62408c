// SPDX-License-Identifier: MIT
#include "app/screen/machine_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace confab::app {
namespace {

using engine::platform::PressureSample;

constexpr std::chrono::seconds kInterval{2};
constexpr std::int64_t kManyPages = 500;  // in an interval: 2 MB with small pages
constexpr double kMuchOfOthers = 0.25;    // of all cores

}  // namespace

std::string trouble_between(const PressureSample& before, const PressureSample& after,
                            double cached) {
  if (after.swapped_pages - before.swapped_pages > kManyPages) return "slow: swapping";
  if (after.major_faults - before.major_faults > kManyPages)
    return fmt::format("model {:.0f} % on disk: close programs", std::max(1.0, 100 * (1 - cached)));
  const auto all = static_cast<double>(after.all_ticks - before.all_ticks);
  const auto own = static_cast<double>(after.own_ticks - before.own_ticks);
  const auto busy = static_cast<double>(after.busy_ticks - before.busy_ticks);
  if (all > 0 && (busy - own) / all > kMuchOfOthers)
    return fmt::format("slow: other programs {:.0f} %", 100 * (busy - own) / all);
  return {};
}

const MachineState& MachineWatch::look(const std::filesystem::path& weights, bool generating,
                                       Clock::time_point now) {
  const bool goes_on = std::exchange(generating_, generating) == generating;
  if (before_ && goes_on && now - looked_ < kInterval) return state_;
  const PressureSample sample = engine::platform::sample_pressure();
  state_.memory_bytes = sample.resident_bytes;
  state_.trouble.clear();
  if (generating && goes_on && before_) {
    const bool reads = sample.major_faults - before_->major_faults > kManyPages;
    const double cached = reads ? engine::platform::cached_share(weights) : 1;
    state_.trouble = trouble_between(*before_, sample, cached);
  }
  before_ = sample;
  looked_ = now;
  return state_;
}

}  // namespace confab::app
