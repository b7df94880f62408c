// SPDX-License-Identifier: MIT
// The tables that `confab bench` prints.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/tools/bench_runs.h"
#include "engine/cache/program_run.h"
#include "engine/platform/memory.h"

namespace confab::app {

// A row of `confab bench --kernels`: all runs of one program for one format in a pass.
struct KernelRow {
  std::string program, format;  // as in engine::ProgramRun
  int n_instructions = 0;
  int n_dispatches = 0;
  std::uint64_t weight_bytes = 0, cache_bytes = 0;
  double nanoseconds = 0;  // 0: unknown
};

// Sorted by time, and by bytes moved where times are unknown; largest first.
std::vector<KernelRow> kernel_rows(const std::vector<engine::ProgramRun>& pass);
// Prints a Markdown table below a line with the test and the number of tokens in the pass.
void print_kernels(const std::string& test, int n_tokens, const std::vector<KernelRow>& rows,
                   std::ostream& out);

struct BenchRow {
  std::string test;
  int n_prompt, n_gen, n_depth;
  double avg_ts, median_ts, stddev_ts;
  double
      bytes_per_token;  // bytes read from memory: weights (once per chunk in prefill) and KV cache
  bool pass = false;    // all of n_prompt in one pass, with the logits of each token
  int n_parallel = 1;   // sequences; the figures cover all of them together
  std::optional<Replay> replay = {};
  int n_kernel_tokens = 0;                  // tokens of the pass that `kernels` describes
  std::vector<KernelRow> kernels = {};      // empty: not requested
  engine::platform::MemoryUse memory = {};  // memory of the process after the test

  // Time until the first token of an answer to a prompt; 0: not in this test.
  double ttft_ms() const { return pass || replay || n_prompt == 0 ? 0 : median_ms(); }
  double median_ms() const {
    return 1e3 * n_prompt / median_ts;
  }  // time of a pass or of the prompt
};

// The most memory that any test used, each kind separately: tests have their own buffers.
engine::platform::MemoryUse peak_memory(const std::vector<BenchRow>& rows) noexcept;

// read_gbs: the bandwidth of the memory in GB/s; 0: unknown.
void print_bench_json(const std::vector<BenchRow>& rows, double read_gbs, std::ostream& out);
void print_bench_markdown(const std::vector<BenchRow>& rows, double read_gbs, std::ostream& out);

}  // namespace confab::app
