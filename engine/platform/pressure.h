// SPDX-License-Identifier: MIT
// What the system counts that tells why a model runs slower than it could. Counters grow from the
// start of the process or the machine: two samples make a rate. What is not known stays 0.
#pragma once

#include <cstdint>
#include <filesystem>

namespace confab::engine::platform {

struct PressureSample {
  std::int64_t resident_bytes = 0;  // of this process, shared file pages included
  std::int64_t major_faults = 0;    // of this process: pages that had to be read from a disk
  std::int64_t swapped_pages = 0;   // of the machine, in and out
  std::int64_t own_ticks = 0;       // processor time of this process,
  std::int64_t busy_ticks = 0;      // of all,
  std::int64_t all_ticks = 0;       // and idle time as well, over all cores
};

// Costs a few reads of small files. Linux: /proc and /sys; macOS: Mach's figures.
PressureSample sample_pressure();
#ifdef __linux__
// The same with /proc and /sys below another root.
PressureSample sample_pressure(const std::filesystem::path& root);
#endif

// PressureSample's alone, for the price of a system call.
std::int64_t major_faults() noexcept;

// The share of a file that is in memory, by 64 parts of it at most; 1 when nobody can tell. Costs
// less than a millisecond.
double cached_share(const std::filesystem::path& file);

}  // namespace confab::engine::platform
