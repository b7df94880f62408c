// SPDX-License-Identifier: MIT
// The services that the team needs from the operating system for its threads: sleeping, and moving
// to another processor. On systems other than Linux the processors and times are unknown, and
// threads are not moved.
#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <cstdint>

namespace confab::kernels {

// Sleeps while the value is `old`. May return early.
void sleep_while(std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept;
// Adds one to the value (release) and wakes all threads that sleep on it.
void wake_all(std::atomic<std::uint32_t>& value) noexcept;

// Tells the system that somebody waits for this thread's result. macOS reserves its performance
// cores for such threads. No effect elsewhere.
void hurry() noexcept;

// The processor that the caller runs on, or -1 if unknown.
int current_processor() noexcept;

inline constexpr int kMaxProcessors = 1024;
using ProcessorSet = std::bitset<kMaxProcessors>;

// A thread of this process. It must be alive whenever one of the functions is called.
class OsThread {
 public:
  static OsThread current() noexcept;

  // How long it has run, not counting time spent asleep or waiting for a processor.
  std::chrono::nanoseconds cpu_time() const noexcept;
  // The processors that it may run on; empty if unknown.
  ProcessorSet processors() const noexcept;
  // Moves the thread off all other processors at once. Does nothing if `set` is empty.
  void set_processors(const ProcessorSet& set) const noexcept;

 private:
  int id_ = -1;
  int clock_ = -1;
};

}  // namespace confab::kernels
