// SPDX-License-Identifier: MIT
#include "app/tools/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

#include "app/figures.h"

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

}  // namespace confab::app
