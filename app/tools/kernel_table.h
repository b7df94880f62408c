// SPDX-License-Identifier: MIT
// What a graphics processor runs in a pass, kernel by kernel: `confab bench --kernels`.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/cache/program_run.h"

namespace confab::app {

// All runs of a program for a format in a pass.
struct KernelRow {
  std::string program, format;  // as engine::ProgramRun has them
  int n_instructions = 0;
  int n_dispatches = 0;
  std::uint64_t weight_bytes = 0, cache_bytes = 0;
  double nanoseconds = 0;  // 0: not known
};

// Those first that take most time, or else move most bytes.
std::vector<KernelRow> kernel_rows(const std::vector<engine::ProgramRun>& pass);
// A Markdown table, with a line above that names the test and the tokens of the pass.
void print_kernels(const std::string& test, int n_tokens, const std::vector<KernelRow>& rows,
                   std::ostream& out);

}  // namespace confab::app
