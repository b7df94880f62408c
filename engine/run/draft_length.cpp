// SPDX-License-Identifier: MIT
#include "engine/run/draft_length.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace confab::engine {
namespace {

// Before anything is known: six of ten tokens are taken, and a row more costs a twentieth of a
// pass. Four tokens are best then.
constexpr double kAssumedTaken = 0.6;
constexpr double kAssumedGrowth = 0.05;
// What is known of acceptance never weighs less than so many tokens: two that were right after a
// long rest are no reason for the longest draft.
constexpr double kLeastTried = 2;
// What was taken fades with each pass and with each token that it writes.
constexpr double kFadingByPass = 0.97;
constexpr double kFadingByToken = 0.985;
constexpr double kShareForTries = 128;  // one of so many parts of the time
constexpr int kExploring = 8;           // passes, of which one may be of a length not seen

}  // namespace

DraftLength::DraftLength() noexcept {
  estimate_costs();
  restart();
}

void DraftLength::restart() noexcept {
  n_tried_ = kLeastTried;
  n_taken_ = kLeastTried * kAssumedTaken;
  resting_ = false;
  rest_ = kFirstRest;
  rested_ = 0;
}

int DraftLength::next(int most) const noexcept {
  if (most <= 0) return 0;
  // What drafts gain is measured by what a pass without one costs.
  if (any_cost_known_ && !known(1)) return 0;
  if (!resting_) return explored(best(most), most);
  return rested_ < rest_ ? 0 : std::min(most, tried());
}

void DraftLength::record(int n_rows, std::chrono::duration<double> time) noexcept {
  assert(n_rows >= 1);
  if (n_rows > kMost + 1) return;
  ++n_passes_;
  Times& times = times_[static_cast<std::size_t>(n_rows)];
  if (!known(n_rows)) times.n = 0;
  times.last[static_cast<std::size_t>(times.n % kSamples)] = std::max(time.count(), 1e-9);
  ++times.n;
  times.pass = n_passes_;
  estimate_costs();
}

void DraftLength::accepted(int n_drafted, int n_taken) noexcept {
  assert(n_taken >= 0 && n_taken <= n_drafted);
  weigh(n_drafted, n_taken);
  const bool pays = best(kMost) > 0;
  if (!resting_) {
    resting_ = !pays;
    rest_ = kFirstRest;
    rested_ = 0;
  } else if (n_drafted == 0) {
    ++rested_;
  } else if (n_taken > 0 && pays) {
    resting_ = false;
  } else {
    rest_ = std::min(2 * rest_, longest_rest());
    rested_ = 0;
  }
}

void DraftLength::weigh(int n_drafted, int n_taken) noexcept {
  const double faded = kFadingByPass * std::pow(kFadingByToken, n_taken + 1);
  const double kept = std::max(faded, kLeastTried / n_tried_);
  n_tried_ = n_tried_ * kept + std::min(n_drafted, n_taken + 1);
  n_taken_ = n_taken_ * kept + n_taken;
}

// The draft of at most `most` tokens that writes the most tokens a second; of equal ones the
// shortest.
int DraftLength::best(int most) const noexcept {
  const double rate = n_taken_ / n_tried_;
  double n_written = 1, chance = 1;
  double best_speed = 1 / cost(1);
  int best_length = 0;
  for (int k = 1; k <= std::min(most, kMost); ++k) {
    chance *= rate;
    n_written += chance;
    const double speed = n_written / cost(k + 1);
    if (speed > best_speed) {
      best_speed = speed;
      best_length = k;
    }
  }
  return best_length;
}

// One token alone may be free where two are not; that is worth to know once.
int DraftLength::tried() const noexcept {
  return times_[2].n == 0 ? 1 : kTried;
}

// Now and then one token more or fewer, where that has not been seen: costs grow in steps.
int DraftLength::explored(int length, int most) const noexcept {
  if (n_passes_ % kExploring != 0 || length == 0 || !known(length + 1)) return length;
  if (length < std::min(most, kMost) && !known(length + 2)) return length + 1;
  if (length > 1 && !known(length)) return length - 1;
  return length;
}

int DraftLength::longest_rest() const noexcept {
  const double passes_lost = cost(kTried + 1) / cost(1) - 1;
  return static_cast<int>(std::clamp<double>(kShareForTries * passes_lost, kFirstRest, kLastRest));
}

double DraftLength::median(int n_rows) const noexcept {
  const Times& times = times_[static_cast<std::size_t>(n_rows)];
  std::array<double, kSamples> last = times.last;
  const int n = std::min(times.n, kSamples);
  const auto middle = last.begin() + (n - 1) / 2;
  std::nth_element(last.begin(), middle, last.begin() + n);
  return *middle;
}

bool DraftLength::known(int n_rows) const noexcept {
  const Times& times = times_[static_cast<std::size_t>(n_rows)];
  return times.n > 0 && n_passes_ - times.pass <= kRemembered;
}

// Medians where there are any, and straight lines between them and beyond.
void DraftLength::estimate_costs() noexcept {
  std::array<int, kMost + 2> rows{};  // of which the cost is known or assumed, the fewest first
  std::size_t n = 0;
  any_cost_known_ = false;
  for (int n_rows = 1; n_rows <= kMost + 1; ++n_rows) {
    if (!known(n_rows)) continue;
    cost(n_rows) = median(n_rows);
    if (!any_cost_known_ && n_rows > 1) {
      cost(1) = cost(n_rows) / (1 + kAssumedGrowth * (n_rows - 1));
      rows[n++] = 1;
    }
    any_cost_known_ = true;
    rows[n++] = n_rows;
  }
  if (!any_cost_known_) {
    cost(1) = 1;
    rows[n++] = 1;
  }
  draw_lines(std::span(rows).first(n));
}

// What is off is nearly always too slow (the machine did something else meanwhile): a pass costs at
// most what a longer one does.
void DraftLength::draw_lines(std::span<const int> rows) noexcept {
  for (std::size_t i = rows.size() - 1; i > 0; --i) {
    cost(rows[i - 1]) = std::min(cost(rows[i - 1]), cost(rows[i]));
    const double growth = (cost(rows[i]) - cost(rows[i - 1])) / (rows[i] - rows[i - 1]);
    for (int at = rows[i - 1] + 1; at < rows[i]; ++at) cost(at) = cost(at - 1) + growth;
  }
  const int last = rows.back();
  const double slope = last > 1 ? (cost(last) - cost(1)) / (last - 1) : 0;
  const double growth = std::max(slope, kAssumedGrowth * cost(1));
  for (int at = last + 1; at <= kMost + 1; ++at) cost(at) = cost(at - 1) + growth;
}

}  // namespace confab::engine
