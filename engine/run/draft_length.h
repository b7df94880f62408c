// SPDX-License-Identifier: MIT
// How many tokens to guess ahead of a model that then checks them all in one pass: as many as write
// the most tokens a second on this machine, as far as the last passes tell.
//
// A pass over a draft of k tokens has k + 1 rows and writes the tokens taken and one more. Where
// each token is taken with probability a once those before it were, these are (1 - a^(k+1)) /
// (1 - a) on average (Leviathan et al. 2023, https://arxiv.org/abs/2211.17192, §3.1); divided by
// what a pass of k + 1 rows costs, that is largest for some k, and 0 is one of them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace confab::engine {

// Follows from what it is told alone: it has no clock.
//
// Bound: where nothing is ever taken, n tokens take at most as long as n + n / 128 + 16 passes of
// one row, where costs are steady, and that of m rows is at most m times that of one.
class DraftLength {
 public:
  static constexpr int kMost = 15;
  // Drafts that do not pay are left alone for so many tokens, for twice as many each time that the
  // short draft that is then tried does not pay either, and for kLastRest at most. Where that draft
  // is cheap, it is tried so often that it costs 1 / 128 of the time.
  static constexpr int kFirstRest = 8;
  static constexpr int kLastRest = 256;
  static constexpr int kTried = 2;  // the first time 1
  // A cost is forgotten when so many passes have brought none of as many rows.
  static constexpr int kRemembered = 256;

  DraftLength() noexcept;

  // How many tokens to draft for the next pass, 0..min(most, kMost); `most` are to be had. Before
  // anything is known 4; then once 0, to learn what a pass without a draft costs.
  int next(int most) const noexcept;

  // What a pass of so many rows took, with the drafting; of passes longer than kMost + 1 rows
  // nothing is learnt. The median of the last five of a length counts; lengths that have not been
  // seen are taken to lie on the line between their neighbours.
  void record(int n_rows, std::chrono::duration<double> time) noexcept;
  // What came of that pass, after its record(): so many tokens were drafted (which may be 0), and
  // the first n_taken of them were right. Counts less the more is written later, half after 15
  // to 40 tokens.
  void accepted(int n_drafted, int n_taken) noexcept;
  // Another text begins: forgets what was accepted, but not what passes cost.
  void restart() noexcept;

 private:
  static constexpr int kSamples = 5;
  struct Times {
    std::array<double, kSamples> last;  // seconds, a ring
    int n = 0;                          // recorded so far
    long pass = 0;                      // the last one
  };
  double& cost(int n_rows) noexcept { return costs_[static_cast<std::size_t>(n_rows)]; }
  double cost(int n_rows) const noexcept { return costs_[static_cast<std::size_t>(n_rows)]; }
  bool known(int n_rows) const noexcept;
  double median(int n_rows) const noexcept;
  void estimate_costs() noexcept;
  void draw_lines(std::span<const int> rows) noexcept;
  int best(int most) const noexcept;
  int tried() const noexcept;
  int explored(int length, int most) const noexcept;
  int longest_rest() const noexcept;
  void weigh(int n_drafted, int n_taken) noexcept;

  std::array<Times, kMost + 2> times_{};  // by rows
  long n_passes_ = 0;
  std::array<double, kMost + 2> costs_{};  // seconds, by rows; growing from [1]
  bool any_cost_known_ = false;
  // Tokens that were looked at, and those of them that were taken; both fade.
  double n_tried_;
  double n_taken_;
  // Drafting rests until `rest_` tokens have been written without it.
  bool resting_;
  int rest_;
  int rested_;
};

}  // namespace confab::engine
