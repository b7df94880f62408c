// SPDX-License-Identifier: MIT
// What the team asks of the operating system for its threads: to sleep, and to run elsewhere. Where
// the system cannot (but Linux), it knows no processor, no time, and moves no thread.
#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <cstdint>

namespace confab::kernels {

// Sleeps while the value is `old`; may return early.
void sleep_while(std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept;
// Adds one to the value (release) and wakes all who sleep on it.
void wake_all(std::atomic<std::uint32_t>& value) noexcept;

// Says that somebody waits for what the caller computes: macOS keeps its performance cores for such
// threads. No effect elsewhere.
void hurry() noexcept;

// The processor that the caller runs on; -1: not known.
int current_processor() noexcept;

inline constexpr int kMaxProcessors = 1024;
using ProcessorSet = std::bitset<kMaxProcessors>;

// A thread of this process, which must be alive when it is asked for anything.
class OsThread {
 public:
  static OsThread current() noexcept;

  // How long it has run; it stands still while the thread sleeps or waits for a processor.
  std::chrono::nanoseconds cpu_time() const noexcept;
  // Where it may run; none: not known.
  ProcessorSet processors() const noexcept;
  // Takes the thread off others at once; no effect for none.
  void set_processors(const ProcessorSet& set) const noexcept;

 private:
  int id_ = -1;
  int clock_ = -1;
};

}  // namespace confab::kernels
