// SPDX-License-Identifier: MIT
// Waiting at the start, before there is a chat: for anything that takes its time, which is reported
// on stderr, and for the weights that are copied to a graphics processor. Both can be interrupted.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "app/error.h"
#include "ui/terminal/signals.h"

namespace confab::app {

// A signal ended the program while it waited.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int status) : status_(status) {}
  const char* what() const noexcept override { return "interrupted"; }
  int status() const noexcept { return status_; }  // exit status of the program

 private:
  int status_;
};

// Waits until fd is readable; `what` says what for. Returns false if the person does not want to
// wait any longer.
using WaitAtStart = std::function<bool(int fd, const std::string& what)>;

enum class OnInterrupt { goes_on, ends };

class StartWait {
 public:
  // signals must outlive it. goes_on: Ctrl+C ends only the wait.
  StartWait(ui::Signals& signals, OnInterrupt on_interrupt)
      : signals_(signals), goes_on_(on_interrupt == OnInterrupt::goes_on) {}

  // Waits until fd is readable. Returns false if Ctrl+C ended the wait. Throws Interrupted.
  bool operator()(int fd, const std::string& what);

 private:
  ui::Signals& signals_;
  bool goes_on_;
  std::string told_ = {};
};

// Called after n of `all` bytes have been read. Before that it is called with 0, while programs are
// compiled and tested. An exception from it ends the loading.
using OnCopied = std::function<void(std::uint64_t n, std::uint64_t all)>;
// Called for each model that is loaded; its result is destroyed once the model is there.
using WatchCopying = std::function<OnCopied()>;

// "copying the weights to the graphics processor: 45 %". While n is 0: "testing the programs of the
// graphics processor".
std::string copy_text(std::uint64_t n, std::uint64_t all);

// A person stopped the copying; the program goes on without the model.
class CopyStopped : public UserError {
 public:
  CopyStopped() : UserError("stopped: the model is not loaded") {}
};

// Shows a progress line on stderr, if lines can be overwritten there; it disappears together with
// the OnCopied. On Ctrl+C the OnCopied throws CopyStopped if the program goes on without the model,
// otherwise Interrupted, as for other signals. signals must outlive it.
WatchCopying watch_copying(ui::Signals& signals, OnInterrupt on_interrupt);

// What to do while something takes its time at the start.
struct AtStart {
  WaitAtStart wait = {};
  WatchCopying watch_copying = {};  // for the first model and later ones
};
// While the weights of the first model are copied, Ctrl+C always ends the program: a chat needs a
// model.
AtStart waits_at_start(ui::Signals& signals, OnInterrupt on_interrupt);

}  // namespace confab::app
