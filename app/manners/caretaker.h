// SPDX-License-Identifier: MIT
// Watches memory and power for a front end without a screen: checks them whenever the front end
// wakes up, and has the model give up what it must.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/manners/sparing.h"
#include "engine/platform/memory_pressure.h"
#include "engine/platform/power.h"

namespace confab::app {

struct Machine {
  std::unique_ptr<engine::platform::PressureSource> pressure =
      engine::platform::make_pressure_source();
  std::unique_ptr<engine::platform::PowerSource> power = engine::platform::make_power_source();
};

class Caretaker {
 public:
  using Clock = Sparing::Clock;

  // `backend` must outlive it. Nothing is logged if `log` is empty.
  Caretaker(Backend& backend, const std::filesystem::path& log, Machine machine = {});

  // Call before a question.
  void ask(Clock::time_point now = Clock::now());
  // Call when fd() is readable or timeout() has passed; other calls cost little. busy: an answer is
  // being written.
  void look(bool busy, Clock::time_point now = Clock::now());
  // To be polled for POLLIN only; -1 if there is nothing to poll.
  int fd() const noexcept { return machine_.pressure->fd(); }
  // How long a wait for an answer may sleep; nullopt means forever.
  std::optional<std::chrono::milliseconds> timeout(Clock::time_point now = Clock::now()) const;
  // The changes made since the last call, one line each; "" if nothing changed.
  std::string take_news();

 private:
  bool asks_pressure(bool busy, Clock::time_point now) const;
  void tell(std::string_view done);

  Machine machine_;
  Sparing sparing_;
  std::optional<Clock::time_point> asked_ = {};  // when memory was last checked
  std::string news_;
};

}  // namespace confab::app
