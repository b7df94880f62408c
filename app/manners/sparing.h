// SPDX-License-Identifier: MIT
// What the model of a backend gives up while the machine is short of memory, or is to be spared,
// and gets back: done, and logged. Every front end has one; time is passed in.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "app/event_log.h"
#include "app/manners/power_watch.h"
#include "app/manners/pressure_ladder.h"

namespace confab::app {

struct Backend;

class Sparing {
 public:
  using Clock = std::chrono::steady_clock;
  using Pressure = engine::platform::MemoryPressure;
  using Reason = engine::platform::PowerReason;

  // `backend` must outlive it. log: an empty path where nothing is to be written. power_interval:
  // PowerSource::poll_interval().
  Sparing(Backend& backend, std::filesystem::path log,
          std::optional<std::chrono::milliseconds> power_interval)
      : backend_(backend), power_(power_interval), log_(std::move(log)) {}

  // What the sources say now, and that a question has been asked. busy: an answer is being written.
  // Each returns the line that is logged; empty: all is as it was.
  std::string_view take(Pressure pressure, bool busy, Clock::time_point now);
  std::string_view take(Reason reason, Clock::time_point now);
  std::string_view ask();

  MemoryStep memory() const noexcept { return ladder_.step(); }
  bool spares_power() const noexcept { return power_.reason() != Reason::none; }
  // For the status line: what is given up, and why. Empty: nothing is.
  std::string_view text() const noexcept;

  // When the source of pressure is to be asked, if it says nothing before; nullopt: not at all.
  std::optional<Clock::time_point> memory_due() const noexcept { return ladder_.due(); }
  // Whether that of power is to be asked, by whoever is awake; and when somebody has to be.
  bool asks_power(Clock::time_point now) const noexcept { return power_.is_due(now); }
  std::optional<Clock::time_point> power_due(bool busy) const noexcept { return power_.due(busy); }

 private:
  std::string_view go_to(MemoryStep before, std::optional<MemoryStep> step);

  Backend& backend_;
  PressureLadder ladder_;
  PowerWatch power_;
  EventLog log_;
};

}  // namespace confab::app
