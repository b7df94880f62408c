// SPDX-License-Identifier: MIT
#include "engine/run/draft_length.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace confab::engine {
namespace {

// By the kind of match: none, from 2, 4, 8 and 16 tokens on. What is taken of a text is mixed with
// this as if so many tokens had been tried before.
constexpr std::array kAssumedTaken = {0.6, 0.35, 0.6, 0.85, 0.97};
constexpr double kAssumedTries = 2;
constexpr double kFading = 0.98;  // with each token written
constexpr double kFadingByText = 0.5;
// A draft that promises less is not worth the chance that a cost was measured wrongly.
constexpr double kLeastSpeed = 1.03;
constexpr double kMostCredit = 16;
constexpr double kCreditByToken = 1.0 / 128;
constexpr double kCreditOfSure = 1;
constexpr int kExploring = 8;  // passes, of which one may be of a length not seen

// The match of a token in a draft, where those before it are right.
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
  // Nothing but a try can tell whether guesses have become better; and what one pass took alone
  // says little.
  const double spare = costs_.n_seen(2) < 2 ? 0 : kFirstCredit;
  const bool may_try = match == 0 && credit_ >= spare + costs_.at_most(2) - 1;
  if (best.length == 0) return {.length = may_try ? 1 : 0, .speed = 1};
  best.length = explored(best.length, longest);
  return best;
}

// Now and then one token more or fewer, where that has not been seen: costs grow in steps.
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

}  // namespace confab::engine
