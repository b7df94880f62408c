// SPDX-License-Identifier: MIT
// System counters that explain why a model runs slower than it could. Counters grow from the start
// of the process or the machine, so two samples make a rate. Unknown values stay 0.
#pragma once

#include <cstdint>
#include <filesystem>

namespace confab::engine::platform {

struct PressureSample {
  std::int64_t resident_bytes = 0;  // of this process, including shared pages of files
  std::int64_t major_faults = 0;    // of this process: pages that had to be read from disk
  std::int64_t swapped_pages = 0;   // of the machine, in and out
  std::int64_t own_ticks = 0;       // processor time of this process
  std::int64_t busy_ticks = 0;      // processor time of all processes
  std::int64_t all_ticks = 0;       // busy and idle time over all cores
};

// Reads a few small files. Linux: /proc and /sys; macOS: Mach's figures.
PressureSample sample_pressure();
#ifdef __linux__
// The same, with /proc and /sys below another root.
PressureSample sample_pressure(const std::filesystem::path& root);
#endif

// PressureSample::major_faults alone; costs one system call.
std::int64_t major_faults() noexcept;

// The share of a file that is in memory, sampled at up to 64 places; 1 if it cannot be determined.
// Takes less than a millisecond.
double cached_share(const std::filesystem::path& file);

}  // namespace confab::engine::platform
