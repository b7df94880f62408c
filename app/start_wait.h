// SPDX-License-Identifier: MIT
// Waiting at the start, before there is a chat: told on stderr, where it takes its time.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "ui/terminal/signals.h"

namespace confab::app {

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

}  // namespace confab::app
