// SPDX-License-Identifier: MIT
// Signals as events of a poll loop.
//
// While it lives, SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT and SIGTSTP no longer act but are
// queued, and fd() becomes readable; the former actions return with its end. At most one may exist,
// and it must outlive the threads whose signals it should catch.
#pragma once

#include <vector>

namespace confab::ui {

class Signals {
 public:
  // Throws TerminalError when no pipe can be made.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const noexcept;  // poll for POLLIN, then take()
  // The signals that came, each once however often it came, in ascending order; resets fd().
  std::vector<int> take() noexcept;

  // Stops this process as Ctrl+Z does by default; returns when it is continued. The terminal must
  // have been suspended before. In an orphaned process group it returns at once.
  static void stop_process() noexcept;
};

}  // namespace confab::ui
