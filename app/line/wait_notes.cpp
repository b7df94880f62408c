// SPDX-License-Identifier: MIT
#include "app/line/wait_notes.h"

#include <variant>

#include "app/chat/report.h"

namespace confab::app {

void WaitNotes::begin(Clock::time_point now) {
  due_ = now + kFirst;
}

std::optional<std::string> WaitNotes::take(const AnswerWait& wait, Clock::time_point now) {
  if (now < due_) return std::nullopt;
  due_ = now + kInterval;
  return std::visit([](const auto& of) { return progress_text(of); }, wait);
}

}  // namespace confab::app
