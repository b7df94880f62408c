// SPDX-License-Identifier: MIT
// A terminal that remembers what it was asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/error.h"
#include "app/screen/host.h"

namespace confab::app {

class FakeHost : public ScreenHost {
 public:
  Clock::time_point now() const override { return time; }
  MachineState machine() override { return state; }
  engine::platform::MemoryPressure memory_pressure() override { return pressure; }
  engine::platform::PowerReason power_reason() override {
    ++n_power_asked;
    return power;
  }
  std::optional<std::chrono::milliseconds> power_interval() const override {
    return std::chrono::seconds(5);
  }
  void notify(const std::string& title, const std::string& text) override {
    notifications.push_back(title + ": " + text);
  }
  bool is_stopped() override { return held_up && held_up(); }
  void redraw() override { ++n_redrawn; }
  void suspend() override { ++n_suspended; }
  std::string edit(const std::string& text) override {
    if (edited.empty()) throw UserError("vi: cannot be run");
    return text + edited;
  }
  Copied copy(const std::string& text) override {
    copied.push_back(text);
    return copied_to;
  }
  void set_theme(const ui::Theme& theme) override { themes.push_back(theme.name); }
  ui::Theme theme() const override { return ui::default_theme(); }

  Clock::time_point time{std::chrono::hours(1)};
  MachineState state;
  engine::platform::PowerReason power = engine::platform::PowerReason::none;
  int n_power_asked = 0;
  engine::platform::MemoryPressure pressure = engine::platform::MemoryPressure::none;
  int n_redrawn = 0;
  std::function<bool()> held_up;  // what happens meanwhile
  int n_suspended = 0;
  std::vector<std::string> themes;
  std::vector<std::string> copied;
  Copied copied_to{Copied::To::clipboard, "wl-copy"};
  std::string edited;  // what the editor adds; empty: there is none
  std::vector<std::string> notifications;
};

}  // namespace confab::app
