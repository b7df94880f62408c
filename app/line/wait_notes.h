// SPDX-License-Identifier: MIT
// How far a long wait for an answer is, in whole lines for where nothing is drawn over: the first
// after a while, the others now and then. Time is passed in.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/chat/answer_loop.h"

namespace confab::app {

class WaitNotes {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kFirst{3};
  static constexpr std::chrono::seconds kInterval{10};

  void begin(Clock::time_point now);  // a question has been asked
  // The line that is due; nullopt: none is.
  std::optional<std::string> take(const AnswerWait& wait, Clock::time_point now);

 private:
  Clock::time_point due_{};
};

}  // namespace confab::app
