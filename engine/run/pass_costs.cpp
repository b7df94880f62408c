// SPDX-License-Identifier: MIT
#include "engine/run/pass_costs.h"

#include <algorithm>
#include <cassert>

namespace confab::engine {
namespace {

// Before anything is known a row more costs a twentieth of a pass, and never less than that beyond
// what is known.
constexpr double kAssumedGrowth = 0.05;
// Of models with half a billion weights and more none costs more (bench/README.md); of very small
// ones a pass of two rows may come to a little more with several threads.
constexpr double kMostOfTwo = 1.5;

}  // namespace

PassCosts::PassCosts() noexcept {
  estimate();
}

void PassCosts::record(int n_rows, std::chrono::duration<double> time) noexcept {
  assert(n_rows >= 1);
  last_seconds_ = std::max(time.count(), 1e-9);
  if (is_known(1) && n_rows > 1) last_seconds_ = std::min(last_seconds_, n_rows * seconds(1));
  if (n_rows > kMostRows) return;
  ++n_passes_;
  Times& times = times_[static_cast<std::size_t>(n_rows)];
  if (!is_known(n_rows)) times.n = 0;
  times.last[static_cast<std::size_t>(times.n % kSamples)] = last_seconds_;
  ++times.n;
  times.pass = n_passes_;
  estimate();
}

int PassCosts::n_seen(int n_rows) const noexcept {
  const Times& times = times_[static_cast<std::size_t>(n_rows)];
  return n_passes_ - times.pass <= kRemembered ? times.n : 0;
}

double PassCosts::at_most(int n_rows) const noexcept {
  if (n_rows == 2 && n_seen(2) < 2) return is_known(2) ? std::min(of(2), kMostOfTwo) : kMostOfTwo;
  if (is_known(n_rows)) return of(n_rows);
  double most = n_rows;
  for (int rows = 2; rows <= kMostRows; ++rows)
    if (is_known(rows)) most = std::min(most, (n_rows + rows - 1) / rows * of(rows));
  return most;
}

double PassCosts::median(int n_rows) const noexcept {
  const Times& times = times_[static_cast<std::size_t>(n_rows)];
  std::array<double, kSamples> last = times.last;
  const int n = std::min(times.n, kSamples);
  const auto middle = last.begin() + (n - 1) / 2;
  std::nth_element(last.begin(), middle, last.begin() + n);
  return *middle;
}

// Medians where there are any, and straight lines between them and beyond.
void PassCosts::estimate() noexcept {
  std::array<int, kMostRows + 1> rows{};  // of which the cost is known or assumed, the fewest first
  std::size_t n = 0;
  for (int n_rows = 1; n_rows <= kMostRows; ++n_rows) {
    if (!is_known(n_rows)) continue;
    seconds(n_rows) = median(n_rows);
    if (n == 0 && n_rows > 1) {
      seconds(1) = seconds(n_rows) / (1 + kAssumedGrowth * (n_rows - 1));
      rows[n++] = 1;
    }
    rows[n++] = n_rows;
  }
  if (n == 0) {
    seconds(1) = 1;
    rows[n++] = 1;
  }
  draw_lines(std::span(rows).first(n));
}

// What is off is nearly always too slow (the machine did something else meanwhile): a pass costs at
// most what a longer one does.
void PassCosts::draw_lines(std::span<const int> rows) noexcept {
  for (std::size_t i = rows.size() - 1; i > 0; --i) {
    const double cost = seconds(rows[i]);
    seconds(rows[i - 1]) = std::min(seconds(rows[i - 1]), cost);
    const double growth = (cost - seconds(rows[i - 1])) / (rows[i] - rows[i - 1]);
    for (int at = rows[i - 1] + 1; at < rows[i]; ++at) seconds(at) = seconds(at - 1) + growth;
  }
  const int last = rows.back();
  const double slope = last > 1 ? (seconds(last) - seconds(1)) / (last - 1) : 0;
  const double growth = std::max(slope / 2, kAssumedGrowth * seconds(1));
  for (int at = last + 1; at <= kMostRows; ++at) seconds(at) = seconds(at - 1) + growth;
}

}  // namespace confab::engine
