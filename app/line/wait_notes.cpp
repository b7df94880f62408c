// SPDX-License-Identifier: MIT
#include "app/line/wait_notes.h"

#include <variant>

#include "app/chat/report.h"

namespace confab::app {

void WaitNotes::begin(Clock::time_point now) {
  due_ = now + kFirst;
}

std::optional<std::string> WaitNotes::take(const engine::Event& event, Clock::time_point now) {
  const auto* prefill = std::get_if<engine::PrefillProgress>(&event);
  const auto* load = std::get_if<engine::LoadProgress>(&event);
  if ((prefill == nullptr && load == nullptr) || now < due_) return std::nullopt;
  due_ = now + kInterval;
  return prefill != nullptr ? progress_text(*prefill) : progress_text(*load);
}

}  // namespace confab::app
