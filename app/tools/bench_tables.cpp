// SPDX-License-Identifier: MIT
#include "app/tools/bench_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

#include "app/figures.h"
#include "base/json.h"

namespace confab::app {
namespace {

std::uint64_t moved(const KernelRow& row) noexcept {
  return row.weight_bytes + row.cache_bytes;
}

void add(KernelRow& to, const KernelRow& row) noexcept {
  to.n_dispatches += row.n_dispatches;
  to.weight_bytes += row.weight_bytes;
  to.cache_bytes += row.cache_bytes;
  to.nanoseconds += row.nanoseconds;
}

std::string bytes_text(std::uint64_t n) {
  return n > 0 ? size_text(n) : "–";
}

std::string share_text(double part, double all) {
  return all > 0 ? fmt::format("{:.1f} %", 100 * part / all) : "–";
}

std::string microseconds_text(double nanoseconds) {
  return nanoseconds > 0 ? fmt::format("{:.1f} µs", nanoseconds / 1e3) : "–";
}

using base::Json;

double share(const BenchRow& row, double read_gbs) {
  return read_gbs > 0 ? row.bytes_per_token * row.median_ts / (read_gbs * 1e9) : 0;
}

void add_replay(Json& row, const Replay& replay) {
  row["processor_ms"] = 1e3 * replay.processor.count();
  row["passes"] = replay.n_passes;
  row["lookup_tokens"] = replay.by_lookup.n_drafted;
  row["lookup_accepted"] = replay.by_lookup.n_accepted;
  row["draft_tokens"] = replay.by_model.n_drafted;
  row["draft_accepted"] = replay.by_model.n_accepted;
  row["heads_tokens"] = replay.by_heads.n_drafted;
  row["heads_accepted"] = replay.by_heads.n_accepted;
}

void add_kernels(Json& row, const BenchRow& from) {
  row["kernel_tokens"] = from.n_kernel_tokens;
  Json& kernels = row["kernels"] = Json::array();
  for (const KernelRow& kernel : from.kernels) {
    kernels.push_back({{"program", kernel.program},
                       {"format", kernel.format},
                       {"dispatches", kernel.n_dispatches},
                       {"instructions", kernel.n_instructions},
                       {"weight_bytes", kernel.weight_bytes},
                       {"cache_bytes", kernel.cache_bytes}});
    if (kernel.nanoseconds > 0) kernels.back()["nanoseconds"] = kernel.nanoseconds;
  }
}

void print_passes(const std::vector<BenchRow>& rows, std::ostream& out) {
  const BenchRow* first = nullptr;
  for (const BenchRow& row : rows) {
    if (!row.pass) continue;
    if (first == nullptr) {
      first = &row;
      out << "\n| tokens per pass | ms (median) | of the first |\n| ---: | ---: | ---: |\n";
    }
    out << fmt::format("| {} | {:.2f} | {:.2f} |\n", row.n_prompt, row.median_ms(),
                       row.median_ms() / first->median_ms());
  }
}

void print_parallel(const std::vector<BenchRow>& rows, std::ostream& out) {
  const BenchRow* first = nullptr;
  for (const BenchRow& row : rows) {
    if (!row.test.starts_with("tg") || row.test.find('x') == std::string::npos) continue;
    if (first == nullptr) {
      first = &row;
      out << "\n| sequences | tok/s of all | of the first |\n| ---: | ---: | ---: |\n";
    }
    out << fmt::format("| {} | {:.1f} | {:.2f} |\n", row.n_parallel, row.median_ts,
                       row.median_ts / first->median_ts);
  }
}

void print_replay(const std::vector<BenchRow>& rows, std::ostream& out) {
  const auto plain =
      std::ranges::find_if(rows, [](const BenchRow& row) { return row.replay.has_value(); });
  if (plain == rows.end()) return;
  out << "\n| drafts | times as fast | tokens per pass | looked up | guessed |\n"
         "| --- | ---: | ---: | ---: | ---: |\n";
  for (auto row = plain; row != rows.end(); ++row) {
    const Replay& replay = *row->replay;
    out << fmt::format("| {} | {:.2f} | {:.2f} | {} of {} | {} of {} |\n", row->test,
                       row->median_ts / plain->median_ts,
                       static_cast<double>(row->n_gen) / std::max(1, replay.n_passes),
                       replay.by_lookup.n_accepted, replay.by_lookup.n_drafted,
                       replay.by_model.n_accepted + replay.by_heads.n_accepted,
                       replay.by_model.n_drafted + replay.by_heads.n_drafted);
  }
}

void print_first_token(const std::vector<BenchRow>& rows, std::ostream& out) {
  for (const BenchRow& row : rows)
    if (row.ttft_ms() > 0)
      out << fmt::format("\nfirst token: after {:.0f} ms ({})\n", row.ttft_ms(), row.test);
}

}  // namespace

std::vector<KernelRow> kernel_rows(const std::vector<engine::ProgramRun>& pass) {
  std::map<std::pair<std::string, std::string>, KernelRow> sums;
  for (const engine::ProgramRun& run : pass) {
    const KernelRow one{run.program,      run.format,      run.n_instructions, 1,
                        run.weight_bytes, run.cache_bytes, run.nanoseconds};
    const auto [sum, is_new] = sums.emplace(std::pair(run.program, run.format), one);
    if (!is_new) add(sum->second, one);
  }
  std::vector<KernelRow> rows;
  for (auto& [key, row] : sums) rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, [](const KernelRow& a, const KernelRow& b) {
    return std::tuple(a.nanoseconds, moved(a)) > std::tuple(b.nanoseconds, moved(b));
  });
  return rows;
}

void print_kernels(const std::string& test, int n_tokens, const std::vector<KernelRow>& rows,
                   std::ostream& out) {
  KernelRow all;
  for (const KernelRow& row : rows) add(all, row);
  out << fmt::format("\nkernels of a pass of {} ({}):\n\n", counted(n_tokens, "token"), test)
      << "| kernel | weights | dispatches | instructions | weights read | cache moved | share of "
         "bytes | time | share of time |\n"
         "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  const auto print = [&](const std::string& name, const std::string& instructions,
                         const KernelRow& row) {
    out << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name,
                       row.format.empty() ? "–" : row.format, row.n_dispatches, instructions,
                       bytes_text(row.weight_bytes), bytes_text(row.cache_bytes),
                       share_text(static_cast<double>(moved(row)), static_cast<double>(moved(all))),
                       microseconds_text(row.nanoseconds),
                       share_text(row.nanoseconds, all.nanoseconds));
  };
  for (const KernelRow& row : rows) print(row.program, std::to_string(row.n_instructions), row);
  print("all", "–", all);
}

engine::platform::MemoryUse peak_memory(const std::vector<BenchRow>& rows) noexcept {
  engine::platform::MemoryUse peak;
  for (const BenchRow& row : rows) {
    peak.anonymous_bytes = std::max(peak.anonymous_bytes, row.memory.anonymous_bytes);
    peak.mapped_bytes = std::max(peak.mapped_bytes, row.memory.mapped_bytes);
    peak.peak_bytes = std::max(peak.peak_bytes, row.memory.peak_bytes);
  }
  return peak;
}

void print_bench_json(const std::vector<BenchRow>& rows, double read_gbs, std::ostream& out) {
  Json array = Json::array();
  for (const BenchRow& row : rows) {
    array.push_back({{"test", row.test},
                     {"n_prompt", row.n_prompt},
                     {"n_gen", row.n_gen},
                     {"n_depth", row.n_depth},
                     {"n_parallel", row.n_parallel},
                     {"avg_ts", row.avg_ts},
                     {"median_ts", row.median_ts},
                     {"stddev_ts", row.stddev_ts},
                     {"read_gbs", read_gbs},
                     {"share", share(row, read_gbs)}});
    if (row.memory.peak_bytes > 0) {
      array.back()["anonymous_bytes"] = row.memory.anonymous_bytes;
      array.back()["mapped_bytes"] = row.memory.mapped_bytes;
    }
    if (row.ttft_ms() > 0) array.back()["ttft_ms"] = row.ttft_ms();
    if (row.pass) array.back()["median_ms"] = row.median_ms();
    if (row.replay) add_replay(array.back(), *row.replay);
    if (!row.kernels.empty()) add_kernels(array.back(), row);
  }
  out << array.dump(2) << '\n';
}

void print_bench_markdown(const std::vector<BenchRow>& rows, double read_gbs, std::ostream& out) {
  out << "| test | tok/s (median) | average | spread | share of read bandwidth |\n"
         "| --- | ---: | ---: | ---: | ---: |\n";
  for (const BenchRow& row : rows)
    out << fmt::format("| {} | {:.1f} | {:.1f} | ± {:.1f} | {} |\n", row.test, row.median_ts,
                       row.avg_ts, row.stddev_ts,
                       read_gbs > 0 ? fmt::format("{:.0f} %", 100 * share(row, read_gbs)) : "–");
  print_passes(rows, out);
  print_parallel(rows, out);
  print_replay(rows, out);
  for (const BenchRow& row : rows)
    if (!row.kernels.empty()) print_kernels(row.test, row.n_kernel_tokens, row.kernels, out);
  print_first_token(rows, out);
  if (const auto peak = peak_memory(rows); peak.peak_bytes > 0)
    out << fmt::format("\nmemory at its peak: {} anonymous, {} mapped\n",
                       size_text(peak.anonymous_bytes), size_text(peak.mapped_bytes));
  if (read_gbs > 0) out << fmt::format("\nread bandwidth: {:.1f} GB/s\n", read_gbs);
}

}  // namespace confab::app
