// SPDX-License-Identifier: MIT
// What a chat gives up while the machine is short of memory or is to save power, and when it takes
// it back. Time is passed in.
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

// What a chat gives up while the machine is short of memory, step by step, and takes back in the
// opposite order when that is over.
enum class MemoryStep {
  all,       // nothing is given up
  spare,     // what is not on screen has no memory, and there are no drafts and no reading ahead
  unloaded,  // the model is not in memory before the next question
};

class PressureLadder {
 public:
  using Clock = std::chrono::steady_clock;
  using Pressure = engine::platform::MemoryPressure;

  // Without pressure for so long, one step is taken back; the next one after as long again.
  static constexpr std::chrono::seconds kCalm{10};

  // What the source says now. busy: an answer is being written, which is finished before the model
  // goes. Returns the step where it is another one than before.
  std::optional<MemoryStep> take(Pressure pressure, bool busy, Clock::time_point now) noexcept;
  // A question has been asked: the model comes back for it. Returns as take() does.
  std::optional<MemoryStep> ask() noexcept;
  MemoryStep step() const noexcept { return step_; }
  // When the source is to be asked, if it says nothing before; nullopt: not at all.
  std::optional<Clock::time_point> due() const noexcept;

 private:
  std::optional<MemoryStep> go_to(MemoryStep step) noexcept;

  MemoryStep step_ = MemoryStep::all;
  bool was_full_ = false;         // since the last calm, or the last question
  Clock::time_point since_ = {};  // the last pressure, or the last step back
};

// For the status line: what is given up, and why. Empty: nothing is.
std::string_view status_text(MemoryStep step) noexcept;
// For the log: what has been done.
std::string_view log_text(MemoryStep before, MemoryStep step) noexcept;

// Why a chat had better spare the machine, asked now and then while somebody uses it.
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

// What the model of a backend gives up and gets back: done, and logged. Every front end has one.
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

// When a chat that nobody uses lets the model give back its memory, and when it comes back.
class Rest {
 public:
  using Clock = std::chrono::steady_clock;

  // After so long without a sign of anybody; 0: never.
  explicit Rest(std::chrono::seconds after) noexcept : after_(after) {}

  // Somebody does something, or an answer goes on or has ended. True: the model was unloaded, and
  // is wanted again.
  bool wake(Clock::time_point now) noexcept;
  // Whether the model is to be unloaded now.
  bool begin(Clock::time_point now) noexcept;
  // It is unloaded already, for another reason.
  void begin_now() noexcept { is_unloaded_ = true; }
  // When begin() is to be asked next; nullopt: not before wake().
  std::optional<Clock::time_point> due() const noexcept;
  bool is_unloaded() const noexcept { return is_unloaded_; }

 private:
  std::chrono::seconds after_;
  std::optional<Clock::time_point> since_ = {};  // the last sign; none: none yet
  bool is_unloaded_ = false;
};

}  // namespace confab::app
