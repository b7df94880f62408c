// SPDX-License-Identifier: MIT
// How many tokens to guess ahead of a model that then checks them all in one pass: as many as write
// the most tokens a second on this machine, as far as the last passes tell, and no more than may be
// lost if all of them are wrong.
//
// A pass over a draft of k tokens has k + 1 rows and writes the tokens taken and one more. Where
// each token is taken with probability a once those before it were, these are (1 - a^(k+1)) /
// (1 - a) on average (Leviathan et al. 2023, https://arxiv.org/abs/2211.17192, §3.1); divided by
// what a pass of k + 1 rows costs, that is largest for some k, and 0 is one of them.
//
// What was looked up is taken the more often the more tokens before it matched: of 217 texts, one
// of three where two or three did, nearly all where 16 did. So a grows along such a draft, and is
// learnt for short and long matches apart.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "engine/run/pass_costs.h"

namespace confab::engine {

// Follows from what it is told alone: it has no clock.
//
// Bound: a text of n tokens takes at most as long as n + n / 128 + 1/2 passes of one row, and one
// pass more where as many as kSureMatch tokens matched, if costs are steady and a pass costs at
// most what PassCosts::at_most() says; what costs more is met once, or twice if it has two rows.
// For it has a credit: what drafts have gained over passes of one row so far, with that first half,
// and a little for each token. A draft that may cost more than the credit is not made.
class DraftLength {
 public:
  static constexpr int kMost = PassCosts::kMostRows - 1;
  // So many tokens that match are rarely wrong.
  static constexpr int kSureMatch = 16;

  struct Choice {
    int length = 0;
    double speed = 1;  // times as fast as without a draft, by what is known
  };

  // How many tokens to draft for the next pass, 0..min(most, kMost); `most` are to be had. `match`
  // is how many tokens before them matched, and 0 where that cannot be said. Before it is known
  // what a pass without a draft costs, none; the first ones are short where long ones may be dear.
  Choice choose(int most, int match = 0) const noexcept;
  int next(int most, int match = 0) const noexcept { return choose(most, match).length; }

  // What a pass of so many rows took, with the drafting.
  void record(int n_rows, std::chrono::duration<double> time) noexcept;
  // What came of that pass, after its record(): so many tokens were drafted (which may be 0) after
  // that match, and the first n_taken of them were right. Counts less the more is written later,
  // half after 35 tokens. Returns what the credit has grown by.
  double accepted(int n_drafted, int n_taken, int match = 0) noexcept;
  // The same text is drafted from another source too, whose credit has grown by so much: they have
  // one together.
  void share(double growth) noexcept;
  // Another text begins: half of what was accepted is forgotten, and all that was gained.
  void restart() noexcept;

 private:
  static constexpr std::size_t kKinds = 5;
  struct Tries {
    double n = 0;
    double n_taken = 0;
  };
  static constexpr double kFirstCredit = 0.5;
  void fade(double kept) noexcept;
  static std::size_t kind_of(int match) noexcept;
  double chance_of(int match) const noexcept;
  int explored(int length, int most) const noexcept;

  PassCosts costs_;
  std::array<Tries, kKinds> tries_{};  // tokens that were looked at, by the match before each
  double credit_ = kFirstCredit;       // in passes of one row
};

}  // namespace confab::engine
