// SPDX-License-Identifier: MIT
// Runs the built program as a person or a script would: with a home of its own, on pipes or on a
// pseudo-terminal. Waits are on content, with a time limit, never on a clock.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/temp_dir.h"

namespace confab::app {

struct RunResult {
  int status = -1;  // exit status, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

// NAME=VALUE pairs that come on top of a minimal environment in which `home` is HOME.
using Environment = std::vector<std::string>;

std::string confab_program();  // its path

// Runs confab to its end with these words and this standard input.
RunResult run_program(const TempDir& home, const std::vector<std::string>& words,
                      const std::string& input = {}, const Environment& environment = {});

// The same of any program, whose path comes first: a shell that runs confab.
RunResult run_command(const TempDir& home, const std::vector<std::string>& command,
                      const std::string& input = {}, const Environment& environment = {});

// confab while it runs, with somebody who types and reads.
class RunningProgram {
 public:
  ~RunningProgram();  // ends the program if it still runs
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void type(const std::string& keys);
  void signal(int number);
  // Reads until the output since the last successful wait holds `text`; false: the time was up, or
  // the program ended first.
  bool wait_for(const std::string& text);
  // The exit status as in RunResult; -1: it did not end in time. Reads meanwhile, but after
  // stop_reading() only when it has ended.
  int wait_for_exit();
  bool wait_until_stopped();  // as Ctrl+Z does it; false: it did not in time
  const std::string& output() const noexcept { return output_; }
  pid_t pid() const noexcept { return pid_; }

 protected:
  RunningProgram() = default;

  pid_t pid_ = -1;
  int in_ = -1;  // its input, as it is written to
  int out_ = -1;
  int terminal_ = -1;  // as it is written to by the program
  bool reads_ = true;

 private:
  bool read_some(std::chrono::steady_clock::time_point deadline);
  void read_rest();

  std::string output_;
  std::size_t seen_ = 0;
};

// On pipes. Its output is what it wrote to both its outputs, in that order.
class PipeProgram : public RunningProgram {
 public:
  PipeProgram(const TempDir& home, const std::vector<std::string>& words,
              const Environment& environment = {});

  void end_input();
};

// On a pseudo-terminal. Its output is what it wrote, escape sequences and all. Only for what needs
// a real terminal, in suites whose names end in TerminalTest: `ctest -L terminal`.
class PtyProgram : public RunningProgram {
 public:
  PtyProgram(const TempDir& home, const std::vector<std::string>& words, int rows = 24,
             int cols = 80, const Environment& environment = {});
  // Any program, whose path comes first.
  struct Command {
    std::vector<std::string> words;
  };
  PtyProgram(const Command& command, const TempDir& home, int rows = 24, int cols = 80,
             const Environment& environment = {});
  ~PtyProgram();

  void resize(int rows, int cols);
  // Nobody reads any more, and what the terminal holds for a reader is full, but for `room` bytes
  // or some more (up to 4096).
  void stop_reading(std::size_t room = 0);
  void hang_up();  // the terminal is gone; output() stays
  // The terminal has echo and line editing on, as a shell leaves it.
  bool terminal_is_cooked() const;
};

}  // namespace confab::app
