// SPDX-License-Identifier: MIT
// Signals as events of a poll loop.
//
// While the object lives, SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT and SIGTSTP are queued and
// make fd() readable instead of taking effect. The destructor restores the former actions. At most
// one object may exist, and it must outlive the threads whose signals it should catch.
#pragma once

#include <vector>

namespace confab::ui {

class Signals {
 public:
  // Throws TerminalError if it cannot create a pipe.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const noexcept;  // poll for POLLIN, then take()
  // Returns the signals that came, in ascending order, each of them once. Resets fd().
  std::vector<int> take() noexcept;

  // Stops this process like the default action of Ctrl+Z and returns when it is continued. The
  // terminal must have been suspended before. In an orphaned process group it returns at once.
  static void stop_process() noexcept;
};

}  // namespace confab::ui
