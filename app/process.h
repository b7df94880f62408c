// SPDX-License-Identifier: MIT
// Running other programs: they are started, waited for, and stopped together with this one. They
// receive signals as a fresh program expects. The result is reported as a shell does: the exit
// status, or 128 plus the number of the signal that ended the program.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace confab::app {

// The descriptors that a program reads and writes, borrowed; -1: its output is discarded.
struct ProcessEnds {
  int input;
  int output = -1;
  int errors = -1;
};

// A program that runs beside this one, without access to the terminal.
class Process {
 public:
  // Looks up the first word in PATH. Throws UserError "WORD: cannot be started: REASON".
  Process(const std::vector<std::string>& words, const ProcessEnds& ends);
  ~Process();  // kills the program if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits at most this long. Returns nullopt if the program still runs.
  std::optional<int> wait(std::chrono::milliseconds limit);

 private:
  pid_t process_ = -1;  // -1: the program has ended
};

// The output of a program that ran to its end or to a limit.
struct Captured {
  enum class End { ended, out_of_time, too_much, stopped };
  End end = End::ended;
  int status = 0;  // valid if `end` is ended
  std::string output = {};
  std::string errors = {};  // only the beginning
};

struct CaptureLimits {
  std::size_t output_bytes;
  std::chrono::milliseconds time;
  std::stop_token stop = {};  // noticed within 50 ms
};

// Runs a program beside this one with this borrowed input. Kills it if it exceeds a limit. Throws
// as Process does.
Captured capture(const std::vector<std::string>& words, int input, const CaptureLimits& limits);

// Runs a program that controls the terminal, and waits for it. Ctrl+C and Ctrl+\ go to that program
// only. When it stops (Ctrl+Z), this program stops too, and both continue together. Throws as
// Process does.
int run_in_foreground(const std::vector<std::string>& words);

}  // namespace confab::app
