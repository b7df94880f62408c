// SPDX-License-Identifier: MIT
// In the background of the terminal, as after `bg`.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace confab::ui {

// While it lives, another process has the terminal at stdin, as the shell has it then.
class InBackground {
 public:
  InBackground() {
    signal(SIGTTOU, SIG_IGN);  // taking the terminal from the background
    std::array<int, 2> taken{};
    if (pipe(taken.data()) != 0) return;
    other_ = fork();
    if (other_ == 0) {
      setpgid(0, 0);
      tcsetpgrp(STDIN_FILENO, getpgrp());
      for (const int end : taken) close(end);
      for (;;) pause();
    }
    close(taken[1]);
    char byte = 0;
    [[maybe_unused]] const ssize_t n = read(taken[0], &byte, 1);  // until it has done that
    close(taken[0]);
  }
  ~InBackground() {
    kill(other_, SIGKILL);
    waitpid(other_, nullptr, 0);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    signal(SIGTTOU, SIG_DFL);
  }
  InBackground(const InBackground&) = delete;
  InBackground& operator=(const InBackground&) = delete;

 private:
  pid_t other_ = -1;
};

}  // namespace confab::ui
