// SPDX-License-Identifier: MIT
#include "app/manners/pressure_ladder.h"

namespace confab::app {

std::optional<MemoryStep> PressureLadder::go_to(MemoryStep step) noexcept {
  if (step == step_) return std::nullopt;
  return step_ = step;
}

std::optional<MemoryStep> PressureLadder::take(Pressure pressure, bool busy,
                                               Clock::time_point now) noexcept {
  if (pressure != Pressure::none) {
    since_ = now;
    was_full_ = was_full_ || pressure == Pressure::full;
    if (step_ == MemoryStep::all) return go_to(MemoryStep::spare);
  } else if (step_ != MemoryStep::all && now - since_ >= kCalm) {
    since_ = now;
    was_full_ = false;
    return go_to(step_ == MemoryStep::unloaded ? MemoryStep::spare : MemoryStep::all);
  }
  return was_full_ && !busy ? go_to(MemoryStep::unloaded) : std::nullopt;
}

std::optional<MemoryStep> PressureLadder::ask() noexcept {
  if (step_ != MemoryStep::unloaded) return std::nullopt;
  was_full_ = false;
  return go_to(MemoryStep::spare);
}

std::optional<PressureLadder::Clock::time_point> PressureLadder::due() const noexcept {
  if (step_ == MemoryStep::all) return std::nullopt;
  return since_ + kCalm;
}

std::string_view status_text(MemoryStep step) noexcept {
  switch (step) {
    case MemoryStep::all:
      return {};
    case MemoryStep::spare:
      return "low memory: drafts off";
    case MemoryStep::unloaded:
      return "low memory: model unloaded";
  }
  return {};
}

std::string_view log_text(MemoryStep before, MemoryStep step) noexcept {
  switch (step) {
    case MemoryStep::all:
      return "memory is free again: drafts and reading ahead are on";
    case MemoryStep::spare:
      return before == MemoryStep::all
                 ? "memory is short: other conversations gave theirs back, drafts and reading "
                   "ahead are off"
                 : "the model may come back, without drafts and reading ahead";
    case MemoryStep::unloaded:
      return "memory is very short: the model is unloaded until the next question";
  }
  return {};
}

}  // namespace confab::app
