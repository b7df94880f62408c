// SPDX-License-Identifier: MIT
// Whether the machine is short of memory: programs wait for pages that were taken from them.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace confab::engine::platform {

enum class MemoryPressure {
  none,
  some,  // a program now and then waits for memory
  full,  // all of them do, at times
};

// Sleeps until there is something to tell, where the system can wake it. Thread class: confined to
// one thread.
class PressureSource {
 public:
  virtual ~PressureSource() = default;

  // To poll for POLLIN, nothing else: readable when there is news for take(). -1: there is none.
  virtual int fd() const noexcept = 0;
  // What has happened since the last call, or holds now. To be called when fd() is readable, and
  // where there is no such descriptor, each poll_interval() while it matters. While pressure lasts,
  // Linux tells of it again every two seconds and never says that it has ended: who asks takes it
  // to be over when he has not heard of it for some time. Costs the reading of a small file or two.
  virtual MemoryPressure take() = 0;
  // How long to wait before take() is called without a descriptor that says when; nullopt: there is
  // one, or there will never be anything to tell.
  virtual std::optional<std::chrono::milliseconds> poll_interval() const noexcept = 0;
};

// The first of these that there is; never nullptr:
// - the file that $CONFAB_PRESSURE names, for tests: it says none, some or full, and none when it
//   is not there;
// - Linux: triggers on the pressure stall information of the machine and of the process's control
//   group (Documentation/accounting/psi.rst), the worse of both; averages of 10 s, where triggers
//   cannot be set; without these, the share of the memory that is still available;
// - macOS: what the system tells programs of memory pressure.
std::unique_ptr<PressureSource> make_pressure_source();
// As for the file of $CONFAB_PRESSURE.
std::unique_ptr<PressureSource> make_file_pressure_source(const std::filesystem::path& file);
#ifdef __linux__
// The system's, with /proc and /sys below another root.
std::unique_ptr<PressureSource> make_system_pressure_source(const std::filesystem::path& root);
#endif

}  // namespace confab::engine::platform
