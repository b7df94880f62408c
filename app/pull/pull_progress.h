// SPDX-License-Identifier: MIT
// How far a download is, how fast, and how long it will still take. Time is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace confab::app {

class PullProgress {
 public:
  using Clock = std::chrono::steady_clock;

  // Of all files together.
  explicit PullProgress(std::uint64_t bytes) : bytes_(bytes) {}

  // So many are there now.
  void set(std::uint64_t bytes_done, Clock::time_point now);
  int percent() const noexcept;
  // "1.2 GiB of 2.3 GiB, 45.1 MiB/s, 0:32 left"; without a rate where there is none yet.
  std::string text() const;
  std::uint64_t bytes_done() const noexcept { return done_; }

 private:
  struct Sample {
    Clock::time_point time;
    std::uint64_t bytes;
  };

  std::uint64_t bytes_;
  std::uint64_t done_ = 0;
  std::deque<Sample> samples_ = {};  // of the last seconds, oldest first
};

}  // namespace confab::app
