// SPDX-License-Identifier: MIT
// Decides what a chat gives up while the machine is short of memory or has to save power, and when
// it takes it back. The caller passes the time.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "app/event_log.h"
#include "engine/platform/memory_pressure.h"
#include "engine/platform/power.h"

namespace confab::app {

struct Backend;

// The steps by which a chat gives up memory while the machine is short of it. They are taken back
// in reverse order.
enum class MemoryStep {
  all,       // nothing is given up
  spare,     // conversations that are not shown lose their memory; no drafts, no reading ahead
  unloaded,  // the model is unloaded until the next question
};

class PressureLadder {
 public:
  using Clock = std::chrono::steady_clock;
  using Pressure = engine::platform::MemoryPressure;

  // After this long without pressure, one step is taken back; the next follows after as long again.
  static constexpr std::chrono::seconds kCalm{10};

  // Takes the current pressure. busy: an answer is being written, so the model is not unloaded yet.
  // Returns the step if it has changed.
  std::optional<MemoryStep> take(Pressure pressure, bool busy, Clock::time_point now) noexcept;
  // A question has been asked, so the model is loaded again. Returns the step if it has changed.
  std::optional<MemoryStep> ask() noexcept;
  MemoryStep step() const noexcept { return step_; }
  // When to check the pressure if nothing is reported before; nullopt if that is not needed.
  std::optional<Clock::time_point> due() const noexcept;

 private:
  std::optional<MemoryStep> go_to(MemoryStep step) noexcept;

  MemoryStep step_ = MemoryStep::all;
  bool was_full_ = false;         // since the last calm period or question
  Clock::time_point since_ = {};  // the last pressure, or the last step taken back
};

// A text for the status line: what is given up and why; "" if nothing is.
std::string_view status_text(MemoryStep step) noexcept;
// A text for the log: what has been done.
std::string_view log_text(MemoryStep before, MemoryStep step) noexcept;

// Keeps the reason why a chat should save power. The front end checks it from time to time while it
// is in use.
class PowerWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Reason = engine::platform::PowerReason;

  // Checks at most once per `interval`; nullopt if there is nothing to check.
  explicit PowerWatch(std::optional<std::chrono::milliseconds> interval) : interval_(interval) {}

  // Returns true if the source should be checked, by a program that is awake anyway.
  bool is_due(Clock::time_point now) const noexcept;
  // Takes the current reason. Returns it if it has changed.
  std::optional<Reason> take(Reason reason, Clock::time_point now) noexcept;
  Reason reason() const noexcept { return reason_; }
  // When to wake up for the next check: only while an answer is being written.
  std::optional<Clock::time_point> due(bool busy) const noexcept;

 private:
  std::optional<std::chrono::milliseconds> interval_;
  Reason reason_ = Reason::none;
  std::optional<Clock::time_point> asked_ = {};
};

// The reason and its effect, for the status line; "" if there is none.
std::string_view status_text(engine::platform::PowerReason reason) noexcept;
// For the log.
std::string_view log_text(engine::platform::PowerReason reason) noexcept;

// Applies both to a backend's model, and logs it. Every front end has one.
class Sparing {
 public:
  using Clock = std::chrono::steady_clock;
  using Pressure = engine::platform::MemoryPressure;
  using Reason = engine::platform::PowerReason;

  // `backend` must outlive it. Nothing is logged if `log` is empty. power_interval:
  // PowerSource::poll_interval().
  Sparing(Backend& backend, std::filesystem::path log,
          std::optional<std::chrono::milliseconds> power_interval)
      : backend_(backend), power_(power_interval), log_(std::move(log)) {}

  // Take the state of the sources, and report that a question has been asked. busy: an answer is
  // being written. Each returns the line that was logged, or "" if nothing has changed.
  std::string_view take(Pressure pressure, bool busy, Clock::time_point now);
  std::string_view take(Reason reason, Clock::time_point now);
  std::string_view ask();

  MemoryStep memory() const noexcept { return ladder_.step(); }
  bool spares_power() const noexcept { return power_.reason() != Reason::none; }
  // A text for the status line: what is given up and why; "" if nothing is.
  std::string_view text() const noexcept;

  // When to check the memory pressure if nothing is reported before; nullopt if that is not needed.
  std::optional<Clock::time_point> memory_due() const noexcept { return ladder_.due(); }
  // Whether to check the power source when awake, and when to wake up for it.
  bool asks_power(Clock::time_point now) const noexcept { return power_.is_due(now); }
  std::optional<Clock::time_point> power_due(bool busy) const noexcept { return power_.due(busy); }

 private:
  std::string_view go_to(MemoryStep before, std::optional<MemoryStep> step);

  Backend& backend_;
  PressureLadder ladder_;
  PowerWatch power_;
  EventLog log_;
};

// Decides when an unused chat unloads its model, and when the model is needed again.
class Rest {
 public:
  using Clock = std::chrono::steady_clock;

  // Unloads after this long without activity; 0 means never.
  explicit Rest(std::chrono::seconds after) noexcept : after_(after) {}

  // Call on the person's input and during and after answers. Returns true if the model was unloaded
  // and is needed again.
  bool wake(Clock::time_point now) noexcept;
  // Returns true if the model is to be unloaded now.
  bool begin(Clock::time_point now) noexcept;
  // The model has been unloaded for another reason.
  void begin_now() noexcept { is_unloaded_ = true; }
  // When to call begin() next; nullopt means not before wake().
  std::optional<Clock::time_point> due() const noexcept;
  bool is_unloaded() const noexcept { return is_unloaded_; }

 private:
  std::chrono::seconds after_;
  std::optional<Clock::time_point> since_ = {};  // the last activity; nullopt before the first
  bool is_unloaded_ = false;
};

}  // namespace confab::app
