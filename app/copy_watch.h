// SPDX-License-Identifier: MIT
// How far a graphics processor is from running a model, whose weights are copied to it, and whether
// that is to end early.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/error.h"
#include "app/start_wait.h"

namespace confab::app {

// n bytes of so many have been read; 0: programs are compiled and tested before. What it throws
// ends the loading.
using OnCopied = std::function<void(std::uint64_t n, std::uint64_t all)>;
// Made for each model that is loaded, and gone when that is there.
using WatchCopying = std::function<OnCopied()>;

// "copying the weights to the graphics processor: 45 %"; before, "testing the programs of the
// graphics processor".
std::string copy_text(std::uint64_t n, std::uint64_t all);

// A person has ended it; the program goes on without the model.
class CopyStopped : public UserError {
 public:
  CopyStopped() : UserError("stopped: the model is not loaded") {}
};

// Shows a line on stderr, where one can be written over, which goes away with what this makes.
// Ctrl+C makes that throw CopyStopped where the program goes on, else Interrupted, as other signals
// do. signals must outlive it.
WatchCopying watch_copying(ui::Signals& signals, OnInterrupt on_interrupt);

// What is done while something takes its time at the start.
struct AtStart {
  WaitAtStart wait = {};
  WatchCopying watch_copying = {};  // of the first model, and the next ones
};
// There is no going on without a first model.
AtStart waits_at_start(ui::Signals& signals, OnInterrupt on_interrupt);

}  // namespace confab::app
