// SPDX-License-Identifier: MIT
// What a chat gives up while the machine is short of memory, step by step, and takes back in the
// opposite order when that is over.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "engine/platform/memory_pressure.h"

namespace confab::app {

enum class MemoryStep {
  all,       // nothing is given up
  spare,     // what is not on screen has no memory, and there are no drafts and no reading ahead
  unloaded,  // the model is not in memory before the next question
};

class PressureLadder {
 public:
  using Clock = std::chrono::steady_clock;
  using Pressure = engine::platform::MemoryPressure;

  // Without pressure for so long, one step is taken back; the next one after as long again.
  static constexpr std::chrono::seconds kCalm{10};

  // What the source says now. busy: an answer is being written, which is finished before the model
  // goes. Returns the step where it is another one than before.
  std::optional<MemoryStep> take(Pressure pressure, bool busy, Clock::time_point now) noexcept;
  // A question has been asked: the model comes back for it. Returns as take() does.
  std::optional<MemoryStep> ask() noexcept;
  MemoryStep step() const noexcept { return step_; }
  // When the source is to be asked, if it says nothing before; nullopt: not at all.
  std::optional<Clock::time_point> due() const noexcept;

 private:
  std::optional<MemoryStep> go_to(MemoryStep step) noexcept;

  MemoryStep step_ = MemoryStep::all;
  bool was_full_ = false;         // since the last calm, or the last question
  Clock::time_point since_ = {};  // the last pressure, or the last step back
};

// For the status line: what is given up, and why. Empty: nothing is.
std::string_view status_text(MemoryStep step) noexcept;
// For the log: what has been done.
std::string_view log_text(MemoryStep before, MemoryStep step) noexcept;

}  // namespace confab::app
