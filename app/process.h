// SPDX-License-Identifier: MIT
// Other programs that are run: started, waited for, stopped together with this one. They get
// signals as a new program expects them. How one ended is told as the shell has it: its status, or
// 128 and the number of the signal that ended it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace confab::app {

// A program beside this one, without the terminal's input and output.
class Process {
 public:
  // The first word is looked for in PATH; `input` is borrowed, and what it writes goes nowhere.
  // Throws UserError "WORD: cannot be started: REASON".
  Process(const std::vector<std::string>& words, int input);
  ~Process();  // one that still runs is ended
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits at most so long; nullopt: it still runs.
  std::optional<int> wait(std::chrono::milliseconds limit);

 private:
  pid_t process_ = -1;  // -1: it has ended
};

// Runs a program that has the terminal meanwhile, and waits for it. Ctrl+C and Ctrl+\ are its own;
// when it stops (Ctrl+Z), this program stops with it, and both go on together. Throws as Process.
int run_in_foreground(const std::vector<std::string>& words);

}  // namespace confab::app
