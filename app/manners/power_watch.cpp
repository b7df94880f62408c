// SPDX-License-Identifier: MIT
#include "app/manners/power_watch.h"

#include <utility>

namespace confab::app {

using engine::platform::PowerReason;

bool PowerWatch::is_due(Clock::time_point now) const noexcept {
  return interval_ && (!asked_ || now - *asked_ >= *interval_);
}

std::optional<PowerReason> PowerWatch::take(Reason reason, Clock::time_point now) noexcept {
  asked_ = now;
  if (std::exchange(reason_, reason) == reason) return std::nullopt;
  return reason;
}

std::optional<PowerWatch::Clock::time_point> PowerWatch::due(bool busy) const noexcept {
  if (!busy || !interval_ || !asked_) return std::nullopt;
  return *asked_ + *interval_;
}

std::string_view status_text(PowerReason reason) noexcept {
  switch (reason) {
    case PowerReason::none:
      return {};
    case PowerReason::battery_saver:
      return "power saver: half the threads";
    case PowerReason::low_battery:
      return "battery low: half the threads";
    case PowerReason::heat:
      return "too hot: half the threads";
  }
  return {};
}

std::string_view log_text(PowerReason reason) noexcept {
  switch (reason) {
    case PowerReason::none:
      return "all threads and drafts are on again";
    case PowerReason::battery_saver:
      return "the machine is to save power: half the threads, no drafts, fewer frames";
    case PowerReason::low_battery:
      return "the battery is low: half the threads, no drafts, fewer frames";
    case PowerReason::heat:
      return "the machine is too hot: half the threads, no drafts, fewer frames";
  }
  return {};
}

}  // namespace confab::app
