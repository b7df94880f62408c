// SPDX-License-Identifier: MIT
// The two lines at the bottom: the status line and the keys. Also watches the machine, for the
// status line.
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

// The state of the machine that runs the model.
struct MachineState {
  std::int64_t memory_bytes = 0;  // this process's resident memory; 0 if unknown
  std::string trouble;            // why the model is slow; "" if it is not, or unknown
};

struct StatusInput {
  const Chat& chat;
  const AnswerProgress& progress;
  const MachineState& machine;
  std::size_t n_queued = 0;  // waiting questions
  AnswerProgress::Clock::time_point now;
  bool incognito = false;
  double speed = 0;                // of several answers; 0 to use `progress`
  std::string_view given_up = {};  // to spare the machine, and why
  bool unloaded = false;           // the model, until it is needed again
};

// Left: the model and anything unusual. Right: the answer's progress, the context, cached tokens
// and memory.
ui::StatusBar status_line(const StatusInput& input);

// The state of the screen, as far as it decides what the keys do.
struct KeyState {
  bool focused = false;     // a message has the focus
  bool generating = false;  // an answer is being written
  bool written = false;     // the input has text
  bool editing = false;     // the input replaces a question
  bool waiting = false;     // questions wait for the end of the answer
  bool choosing = false;    // the list of commands is open
  bool several = false;     // several answers are being written
};

// The effects of the keys now, the most useful first. A narrow row leaves out the last ones.
std::vector<std::string> key_line(const KeyState& state);

// The reason why a model was slow between two samples, or "": swapping, reading weights from disk,
// or other programs, the worst first. `cached` is the share of the weights in memory. PowerWatch
// handles heat.
std::string trouble_between(const engine::platform::PressureSample& before,
                            const engine::platform::PressureSample& after, double cached);

// Watches the machine while a model answers, and says in a few words what slows it down.
class MachineWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // A recent state. It is renewed after at least two seconds, and when an answer starts or ends.
  // `trouble` is only set during answers.
  const MachineState& look(const std::filesystem::path& weights, bool generating,
                           Clock::time_point now);

 private:
  MachineState state_;
  std::optional<engine::platform::PressureSample> before_;
  Clock::time_point looked_{};
  bool generating_ = false;
};

}  // namespace confab::app
