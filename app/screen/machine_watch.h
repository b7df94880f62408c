// SPDX-License-Identifier: MIT
// Watches the machine while a model answers, and says in a few words what slows it down.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/screen/status_line.h"
#include "engine/platform/pressure.h"

namespace confab::app {

// What slowed a model down between two samples; empty: nothing that they tell. `cached` is the
// share of its weights that is in memory. The worst comes first: swapping, weights that are read
// from the disk, other programs. Heat is PowerWatch's.
std::string trouble_between(const engine::platform::PressureSample& before,
                            const engine::platform::PressureSample& after, double cached);

class MachineWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // The state of a moment ago: looks again after two seconds at the earliest, and when an answer
  // begins or ends. What slows down is told of answers alone.
  const MachineState& look(const std::filesystem::path& weights, bool generating,
                           Clock::time_point now);

 private:
  MachineState state_;
  std::optional<engine::platform::PressureSample> before_;
  Clock::time_point looked_{};
  bool generating_ = false;
};

}  // namespace confab::app
