// SPDX-License-Identifier: MIT
// What the two lines at the bottom say: the status line and the keys. And the watch on the machine
// for the first of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/chat/chat.h"
#include "app/screen/answer_progress.h"
#include "engine/platform/pressure.h"
#include "ui/transcript/status_bar.h"

namespace confab::app {

// How the machine does under the model.
struct MachineState {
  std::int64_t memory_bytes = 0;  // that this process has in memory; 0: not known
  std::string trouble;            // why it is slow; empty: it is not, or nobody knows
};

struct StatusInput {
  const Chat& chat;
  const AnswerProgress& progress;
  const MachineState& machine;
  std::size_t n_queued = 0;  // questions that wait
  AnswerProgress::Clock::time_point now;
  bool incognito = false;
  double speed = 0;  // of several answers that are being written; 0: that of the progress
  std::string_view given_up = {};  // to spare the machine, and why
  bool unloaded = false;           // the model, until somebody goes on
};

// The model, and what is out of the usual, on the left; how the answer goes, the context, what was
// cached and the memory on the right.
ui::StatusBar status_line(const StatusInput& input);

// The last row of the screen: what the keys do now.
struct KeyState {
  bool focused = false;     // a message has the keys
  bool generating = false;  // an answer is being written
  bool written = false;     // there is text in the input
  bool editing = false;     // it replaces a question
  bool waiting = false;     // questions wait for the answer's end
  bool choosing = false;    // the list of commands is open
  bool several = false;     // answers are being written
};

// The most useful first; where the row is narrow the last ones are left out.
std::vector<std::string> key_line(const KeyState& state);

// What slowed a model down between two samples; empty: nothing that they tell. `cached` is the
// share of its weights that is in memory. The worst comes first: swapping, weights that are read
// from the disk, other programs. Heat is PowerWatch's.
std::string trouble_between(const engine::platform::PressureSample& before,
                            const engine::platform::PressureSample& after, double cached);

// Watches the machine while a model answers, and says in a few words what slows it down.
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
