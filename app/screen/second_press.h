// SPDX-License-Identifier: MIT
// A key that does more when it is pressed again soon. Time is passed in.
#pragma once

#include <chrono>
#include <utility>

namespace confab::app {

class SecondPress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SecondPress(Clock::duration window) : window_(window) {}

  // The key was pressed; true: the second time. What comes after that is a first time again.
  bool press(Clock::time_point now) {
    const bool again = now - std::exchange(pressed_, now) < window_;
    if (again) pressed_ = {};
    return again;
  }
  // Something else was done: the next press is a first one.
  void forget() { pressed_ = {}; }

 private:
  Clock::duration window_;
  Clock::time_point pressed_{};
};

}  // namespace confab::app
