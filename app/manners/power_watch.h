// SPDX-License-Identifier: MIT
// Why a chat had better spare the machine, asked now and then while somebody uses it.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "engine/platform/power.h"

namespace confab::app {

class PowerWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Reason = engine::platform::PowerReason;

  // Asked so often at most; nullopt: never, for there is nothing to tell.
  explicit PowerWatch(std::optional<std::chrono::milliseconds> interval) : interval_(interval) {}

  // Whether the source is to be asked, by whoever is awake.
  bool is_due(Clock::time_point now) const noexcept;
  // What it says. Returns the reason where it is another one than before.
  std::optional<Reason> take(Reason reason, Clock::time_point now) noexcept;
  Reason reason() const noexcept { return reason_; }
  // When it is to be asked next: while an answer is being written alone.
  std::optional<Clock::time_point> due(bool busy) const noexcept;

 private:
  std::optional<std::chrono::milliseconds> interval_;
  Reason reason_ = Reason::none;
  std::optional<Clock::time_point> asked_ = {};
};

// For the status line: the reason, and what is done about it. Empty: there is none.
std::string_view status_text(engine::platform::PowerReason reason) noexcept;
// For the log.
std::string_view log_text(engine::platform::PowerReason reason) noexcept;

}  // namespace confab::app
