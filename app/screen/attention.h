// SPDX-License-Identifier: MIT
// Whether somebody who waits for an answer has looked elsewhere meanwhile. Time is passed in.
#pragma once

#include <chrono>

namespace confab::app {

class Attention {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLong{10};  // from here on people look elsewhere

  void look(bool here) noexcept { here_ = here; }  // the window got or lost the keyboard
  void begin(Clock::time_point now) noexcept { begun_ = now; }
  // A long answer is done that nobody has looked at.
  bool is_wanted(Clock::time_point now) const noexcept { return !here_ && now - begun_ >= kLong; }

 private:
  bool here_ = true;  // or nobody tells
  Clock::time_point begun_{};
};

}  // namespace confab::app
