// SPDX-License-Identifier: MIT
// What passes cost on this machine, by how many rows they have, measured while they are made.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace confab::engine {

// Follows from what it is told alone: it has no clock. Costs are told in passes of one row.
class PassCosts {
 public:
  static constexpr int kMostRows = 16;
  // A cost is forgotten when so many passes have brought none of as many rows.
  static constexpr int kRemembered = 256;

  PassCosts() noexcept;

  // What a pass of so many rows took, with all that belongs to it; at least one row. It counts as
  // no more than a pass for each row: the machine may have done something else meanwhile. Of passes
  // longer than kMostRows nothing is learnt.
  void record(int n_rows, std::chrono::duration<double> time) noexcept;
  // How many have been recorded.
  long n_passes() const noexcept { return n_passes_; }
  // How many such passes there have been lately.
  int n_seen(int n_rows) const noexcept;
  bool is_known(int n_rows) const noexcept { return n_seen(n_rows) > 0; }
  // What such a pass costs, as far as is known: the median of the last five; between lengths that
  // have been seen on a line, and beyond them on one half as steep, so that they are tried.
  double of(int n_rows) const noexcept { return seconds(n_rows) / seconds(1); }
  // What it costs at most: as much as several shorter ones with as many rows together. Two rows are
  // taken to cost one and a half at most until two passes have told: the first one may wait for
  // weights that are still on the disk.
  double at_most(int n_rows) const noexcept;
  // What the last one cost.
  double of_last() const noexcept { return last_seconds_ / seconds(1); }

 private:
  static constexpr int kSamples = 5;
  struct Times {
    std::array<double, kSamples> last;  // seconds, a ring
    int n = 0;                          // recorded so far
    long pass = 0;                      // the last one
  };
  double& seconds(int n_rows) noexcept { return seconds_[static_cast<std::size_t>(n_rows)]; }
  double seconds(int n_rows) const noexcept { return seconds_[static_cast<std::size_t>(n_rows)]; }
  double median(int n_rows) const noexcept;
  void estimate() noexcept;
  void draw_lines(std::span<const int> rows) noexcept;

  std::array<Times, kMostRows + 1> times_{};  // by rows
  long n_passes_ = 0;
  double last_seconds_ = 1;
  std::array<double, kMostRows + 1> seconds_{};  // by rows; growing from [1]
};

}  // namespace confab::engine
