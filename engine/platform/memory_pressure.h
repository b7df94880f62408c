// SPDX-License-Identifier: MIT
// Whether the machine is short of memory, so that programs wait for pages that were taken from
// them.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace confab::engine::platform {

enum class MemoryPressure {
  none,
  some,  // now and then a program waits for memory
  full,  // at times all programs wait
};

// Sleeps until there is news, if the system can wake it. Thread class: confined to one thread.
class PressureSource {
 public:
  virtual ~PressureSource() = default;

  // Only to be polled for POLLIN: readable when there is news for take(). -1 if there is no
  // descriptor.
  virtual int fd() const noexcept = 0;
  // The pressure since the last call, or now. Call it when fd() is readable; without a descriptor,
  // call it every poll_interval() for as long as it matters. While pressure lasts, Linux reports it
  // again every two seconds. It never reports the end, so callers must take it to be over after
  // some time without a report. Reads one or two small files.
  virtual MemoryPressure take() = 0;
  // How often to call take() if there is no descriptor. nullopt if there is a descriptor, or if
  // there will never be news.
  virtual std::optional<std::chrono::milliseconds> poll_interval() const noexcept = 0;
};

// Returns the first source that exists; never nullptr:
// - the file that $CONFAB_PRESSURE names, for tests. It contains none, some or full; a missing file
//   means none.
// - Linux: triggers on the pressure stall information of the machine and of the process's control
//   group (Documentation/accounting/psi.rst), whichever is worse. If triggers cannot be set, 10 s
//   averages; without those, the share of memory that is still available.
// - macOS: the system's memory pressure notifications.
std::unique_ptr<PressureSource> make_pressure_source();
// The same as for the file in $CONFAB_PRESSURE.
std::unique_ptr<PressureSource> make_file_pressure_source(const std::filesystem::path& file);
#ifdef __linux__
// The system's source, with /proc and /sys below another root.
std::unique_ptr<PressureSource> make_system_pressure_source(const std::filesystem::path& root);
#endif

}  // namespace confab::engine::platform
