// SPDX-License-Identifier: MIT
#include "engine/run/draft_length.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace confab::engine {
namespace {

// Until more is known, an additional row costs a twentieth of a pass. Beyond the known lengths it
// never costs less.
constexpr double kAssumedGrowth = 0.05;
// With half a billion weights or more, two rows never cost more than this (bench/README.md). With
// very small models and several threads it may be a little more.
constexpr double kMostOfTwo = 1.5;

// Assumed acceptance by kind of match: no match, or from 2, 4, 8 and 16 tokens on. It is mixed with
// what is observed, as if this many tokens had been tried before.
constexpr std::array kAssumedTaken = {0.6, 0.35, 0.6, 0.85, 0.97};
constexpr double kAssumedTries = 2;
constexpr double kFading = 0.98;  // per token written
constexpr double kFadingByText = 0.5;
// A draft that promises less is not worth the risk of a wrongly measured cost.
constexpr double kLeastSpeed = 1.03;
constexpr double kMostCredit = 16;
constexpr double kCreditByToken = 1.0 / 128;
constexpr double kCreditOfSure = 1;
constexpr int kExploring = 8;  // one pass in so many may have a length not seen yet

// The match of the i-th token of a draft, if the tokens before it are right.
int match_at(int match, int i) {
  return match == 0 ? 0 : match + i;
}

}  // namespace

void DraftLength::restart() noexcept {
  fade(kFadingByText);
  credit_ = std::min(credit_, kFirstCredit);
}

void DraftLength::fade(double kept) noexcept {
  for (Tries& tries : tries_) tries = {tries.n * kept, tries.n_taken * kept};
}

std::size_t DraftLength::kind_of(int match) noexcept {
  constexpr std::array kFrom = {2, 4, 8, kSureMatch};
  std::size_t kind = match == 0 ? 0 : 1;
  while (kind > 0 && kind < kFrom.size() && match >= kFrom[kind]) ++kind;
  return kind;
}

double DraftLength::chance_of(int match) const noexcept {
  const std::size_t kind = kind_of(match);
  const Tries& tries = tries_[kind];
  return (tries.n_taken + kAssumedTries * kAssumedTaken[kind]) / (tries.n + kAssumedTries);
}

DraftLength::Choice DraftLength::choose(int most, int match) const noexcept {
  if (most <= 0 || !costs_.is_known(1)) return {};
  const double may_be_lost = credit_ + (match >= kSureMatch ? kCreditOfSure : 0);
  int longest = 0;
  double n_written = 1, chance = 1;
  Choice best{.length = 0, .speed = kLeastSpeed};
  for (int k = 1; k <= std::min(most, kMost); ++k) {
    chance *= chance_of(match_at(match, k - 1));
    n_written += chance;
    if (costs_.at_most(k + 1) - 1 > may_be_lost) continue;
    longest = k;
    const double speed = n_written / costs_.of(k + 1);
    if (speed > best.speed) best = {k, speed};
  }
  // Only a try can show whether guesses have become better. A single pass of two rows says little
  // about its cost.
  const double spare = costs_.n_seen(2) < 2 ? 0 : kFirstCredit;
  const bool may_try = match == 0 && credit_ >= spare + costs_.at_most(2) - 1;
  if (best.length == 0) return {.length = may_try ? 1 : 0, .speed = 1};
  best.length = explored(best.length, longest);
  return best;
}

// Sometimes tries one token more or fewer if that length is unknown, because costs grow in steps.
int DraftLength::explored(int length, int most) const noexcept {
  if (costs_.n_passes() % kExploring != 0 || !costs_.is_known(length + 1)) return length;
  if (length < most && !costs_.is_known(length + 2)) return length + 1;
  if (length > 1 && !costs_.is_known(length)) return length - 1;
  return length;
}

void DraftLength::record(int n_rows, std::chrono::duration<double> time) noexcept {
  costs_.record(n_rows, time);
}

double DraftLength::accepted(int n_drafted, int n_taken, int match) noexcept {
  assert(n_taken >= 0 && n_taken <= n_drafted);
  fade(std::pow(kFading, n_taken + 1));
  for (int i = 0; i < std::min(n_drafted, n_taken + 1); ++i) {
    Tries& tries = tries_[kind_of(match_at(match, i))];
    tries.n += 1;
    tries.n_taken += i < n_taken ? 1 : 0;
  }
  const double gained = n_drafted > 0 ? n_taken + 1 - costs_.of_last() : 0;
  const double growth = kCreditByToken * (n_taken + 1) + gained;
  share(growth);
  return growth;
}

void DraftLength::share(double growth) noexcept {
  credit_ = std::min(credit_ + growth, kMostCredit);
}

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

// Uses medians where they exist, and straight lines between and beyond them.
void PassCosts::estimate() noexcept {
  std::array<int, kMostRows + 1> rows{};  // lengths with a known or assumed cost, ascending
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

// Outliers are nearly always too slow, because the machine did something else meanwhile. So a pass
// costs at most as much as a longer one.
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
