// SPDX-License-Identifier: MIT
// Puts a terminal back when the program does not get to do it itself: at exit() without unwinding,
// on an uncaught exception (before its message is printed), on a crash (SIGSEGV, SIGBUS, SIGABRT,
// SIGFPE, SIGILL) and on every other signal that ends a program by default (SIGQUIT, SIGUSR1,
// SIGALRM, SIGXCPU, ...) and that nobody handled or ignored before. The signals then have their
// former effect.
//
// Only async-signal-safe calls are made there: a sequence prepared before is written and the saved
// modes are set. At most one may exist. The signals are handled on a stack of their own in the
// thread that made this.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string_view>

namespace confab::ui {

class TerminalReset {
 public:
  static constexpr std::size_t kMaxBytes = 512;

  // Saves the modes of the terminal `fd` (open for writing, better without waiting; borrowed) and a
  // sequence of at most kMaxBytes; armed only by arm(). Throws TerminalError when `fd` is no
  // terminal or the sequence is longer.
  TerminalReset(int fd, std::string_view sequence);
  ~TerminalReset();  // disarms
  TerminalReset(const TerminalReset&) = delete;
  TerminalReset& operator=(const TerminalReset&) = delete;

  // Another sequence from now on. Throws TerminalError when it is longer than kMaxBytes.
  void set_sequence(std::string_view sequence);
  void arm() noexcept;     // from here on the terminal is ours to put back
  void disarm() noexcept;  // it has been put back
  // Sets the modes that the terminal had when this was made.
  void restore_modes() const noexcept;
};

}  // namespace confab::ui
