// SPDX-License-Identifier: MIT
// What the line at the bottom says.
#pragma once

#include <cstdint>
#include <string>

#include "app/chat/chat.h"
#include "app/screen/answer_progress.h"
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

}  // namespace confab::app
