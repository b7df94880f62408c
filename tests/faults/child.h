// SPDX-License-Identifier: MIT
// Runs the built program on files as standard input and one pipe for both outputs, so that what it
// said is in the order in which it said it; optionally under the shim (shim.cpp), or killed.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace confab::faults {

using Words = std::vector<std::string>;

struct Fault {
  std::string name;  // as in shim_faults.h; empty: no shim
  long at = 0;       // 0: only counts
  bool forever = false;
  int slow_us = 0;
};

struct Command {
  std::filesystem::path home;
  Words words;
  std::string input = {};
  Fault fault = {};
  std::optional<std::chrono::microseconds> kill_after = {};  // with SIGKILL
  bool patience_starts_with_output = false;                  // else with the program
};

struct Outcome {
  int status = 0;      // exit status, or 128 + the signal that ended it; -1: it hung
  std::string output;  // with ~ for the home
  // When how many bytes of it had arrived.
  std::vector<std::pair<std::chrono::steady_clock::time_point, std::size_t>> arrivals;
  std::chrono::steady_clock::time_point killed_at;
};

Outcome run(const Command& what);

// The calls of a run that count for its fault: one line each.
std::vector<std::string> calls_of(const Command& what);

// False: this build has no shim (another system, or sanitizers).
bool have_shim();

}  // namespace confab::faults
