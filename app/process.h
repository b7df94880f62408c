// SPDX-License-Identifier: MIT
// Other programs that are run: started, waited for, stopped together with this one. They get
// signals as a new program expects them. How one ended is told as the shell has it: its status, or
// 128 and the number of the signal that ended it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace confab::app {

// What a program reads and writes, borrowed; -1: what it writes goes nowhere.
struct ProcessEnds {
  int input;
  int output = -1;
  int errors = -1;
};

// A program beside this one, without the terminal's input and output.
class Process {
 public:
  // The first word is looked for in PATH. Throws UserError "WORD: cannot be started: REASON".
  Process(const std::vector<std::string>& words, const ProcessEnds& ends);
  ~Process();  // one that still runs is ended
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits at most so long; nullopt: it still runs.
  std::optional<int> wait(std::chrono::milliseconds limit);

 private:
  pid_t process_ = -1;  // -1: it has ended
};

// What a program wrote that was run to its end, or to a limit.
struct Captured {
  enum class End { ended, out_of_time, too_much, stopped };
  End end = End::ended;
  int status = 0;  // of ended
  std::string output = {};
  std::string errors = {};  // the beginning
};

struct CaptureLimits {
  std::size_t output_bytes;
  std::chrono::milliseconds time;
  std::stop_token stop = {};  // seen within 50 ms
};

// Runs a program beside this one with this input, which is borrowed; one that goes beyond a limit
// is ended. Throws as Process.
Captured capture(const std::vector<std::string>& words, int input, const CaptureLimits& limits);

// Runs a program that has the terminal meanwhile, and waits for it. Ctrl+C and Ctrl+\ are its own;
// when it stops (Ctrl+Z), this program stops with it, and both go on together. Throws as Process.
int run_in_foreground(const std::vector<std::string>& words);

}  // namespace confab::app
