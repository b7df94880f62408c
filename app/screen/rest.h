// SPDX-License-Identifier: MIT
// When a chat that nobody uses lets the model give back its memory, and when it comes back.
#pragma once

#include <chrono>
#include <optional>

namespace confab::app {

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
