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
#include <span>

namespace confab::engine {

// What passes cost on this machine, by how many rows they have, measured while they are made.
//
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
