// SPDX-License-Identifier: MIT
// Looks after the machine for a front end that has no screen: asks how it is whenever that one
// wakes up, and has the model spare it.
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

  // `backend` must outlive it. log: an empty path where nothing is to be written.
  Caretaker(Backend& backend, const std::filesystem::path& log, Machine machine = {});

  // To be called before a question.
  void ask(Clock::time_point now = Clock::now());
  // To be called when fd() is readable, or timeout() is over; at other times it costs little. busy:
  // an answer is being written.
  void look(bool busy, Clock::time_point now = Clock::now());
  // To poll for POLLIN, nothing else; below 0: there is nothing to poll.
  int fd() const noexcept { return machine_.pressure->fd(); }
  // How long somebody who waits for an answer may sleep; nullopt: for ever.
  std::optional<std::chrono::milliseconds> timeout(Clock::time_point now = Clock::now()) const;
  // What has been done since the last call, a line each; empty: nothing.
  std::string take_news();

 private:
  bool asks_pressure(bool busy, Clock::time_point now) const;
  void tell(std::string_view done);

  Machine machine_;
  Sparing sparing_;
  std::optional<Clock::time_point> asked_ = {};  // how short of memory the machine is
  std::string news_;
};

}  // namespace confab::app
