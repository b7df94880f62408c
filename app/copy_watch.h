// SPDX-License-Identifier: MIT
// How far a graphics processor is from running a model, whose weights are copied to it, and whether
// that is to end early.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "app/error.h"
#include "ui/terminal/signals.h"

namespace confab::app {

// Waiting at the start, before there is a chat: told on stderr, where it takes its time.
// A signal has ended the program while it waited.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int status) : status_(status) {}
  const char* what() const noexcept override { return "interrupted"; }
  int status() const noexcept { return status_; }  // of the program

 private:
  int status_;
};

// Waits at the start until fd is readable, and tells what for. False: the person does not want to.
using WaitAtStart = std::function<bool(int fd, const std::string& what)>;

enum class OnInterrupt { goes_on, ends };

class StartWait {
 public:
  // signals must outlive it. goes_on: Ctrl+C means that it is not to be waited any more.
  StartWait(ui::Signals& signals, OnInterrupt on_interrupt)
      : signals_(signals), goes_on_(on_interrupt == OnInterrupt::goes_on) {}

  // Waits until fd is readable. False: not any more. Throws Interrupted.
  bool operator()(int fd, const std::string& what);

 private:
  ui::Signals& signals_;
  bool goes_on_;
  std::string told_ = {};
};

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
