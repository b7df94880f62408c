// SPDX-License-Identifier: MIT
// What `confab bench` tells of its tests.
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
  std::string program, format;  // as engine::ProgramRun has them
  int n_instructions = 0;
  int n_dispatches = 0;
  std::uint64_t weight_bytes = 0, cache_bytes = 0;
  double nanoseconds = 0;  // 0: not known
};

// Sorted by time, and by bytes moved where times are unknown; largest first.
std::vector<KernelRow> kernel_rows(const std::vector<engine::ProgramRun>& pass);
// A Markdown table, with a line above that names the test and the tokens of the pass.
void print_kernels(const std::string& test, int n_tokens, const std::vector<KernelRow>& rows,
                   std::ostream& out);

struct BenchRow {
  std::string test;
  int n_prompt, n_gen, n_depth;
  double avg_ts, median_ts, stddev_ts;
  double bytes_per_token;  // read from memory: weights (once a chunk in prefill) and KV cache
  bool pass = false;       // all of n_prompt in one, with the logits of each
  int n_parallel = 1;      // sequences; the figures are of all together
  std::optional<Replay> replay = {};
  int n_kernel_tokens = 0;                  // of the pass that these are of
  std::vector<KernelRow> kernels = {};      // none: not asked for
  engine::platform::MemoryUse memory = {};  // of the process when the test had run

  // Until the first token of an answer to a prompt; 0: the test has none.
  double ttft_ms() const { return pass || replay || n_prompt == 0 ? 0 : median_ms(); }
  double median_ms() const { return 1e3 * n_prompt / median_ts; }  // of a pass, or of the prompt
};

// The most that any of the tests took: each has its buffers when it is asked.
engine::platform::MemoryUse peak_memory(const std::vector<BenchRow>& rows) noexcept;

// read_gbs: what the memory gives, in GB/s; 0: unknown.
void print_bench_json(const std::vector<BenchRow>& rows, double read_gbs, std::ostream& out);
void print_bench_markdown(const std::vector<BenchRow>& rows, double read_gbs, std::ostream& out);

}  // namespace confab::app
