// SPDX-License-Identifier: MIT
// Restores a terminal when the program does not get to do it: at exit() without unwinding, on an
// uncaught exception (before its message is printed), on a crash (SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
// SIGILL) and on every other signal that ends a program by default (SIGQUIT, SIGUSR1, SIGALRM,
// SIGXCPU, ...) unless it was handled or ignored before. The signals then take their former effect.
//
// The handlers make only async-signal-safe calls: they write a sequence prepared in advance and set
// the saved modes. At most one object may exist. In the thread that created it, signals are handled
// on a separate stack.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string_view>

namespace confab::ui {

class TerminalReset {
 public:
  static constexpr std::size_t kMaxBytes = 512;

  // Saves the modes of the terminal `fd` and a sequence of at most kMaxBytes. Nothing happens
  // before arm(). `fd` is borrowed and must be open for writing, preferably non-blocking. Throws
  // TerminalError if `fd` is not a terminal or the sequence is longer.
  TerminalReset(int fd, std::string_view sequence);
  ~TerminalReset();  // disarms
  TerminalReset(const TerminalReset&) = delete;
  TerminalReset& operator=(const TerminalReset&) = delete;

  // Replaces the sequence. Throws TerminalError if it is longer than kMaxBytes.
  void set_sequence(std::string_view sequence);
  void arm() noexcept;     // from here on the terminal must be restored
  void disarm() noexcept;  // the terminal has been restored
  // Sets the modes that the terminal had when this object was created.
  void restore_modes() const noexcept;
};

}  // namespace confab::ui
