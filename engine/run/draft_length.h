// SPDX-License-Identifier: MIT
// Decides how many tokens to guess ahead of a model that then checks them all in one pass. It aims
// at the most tokens per second on this machine, judging by recent passes, and limits what is lost
// if all guesses are wrong.
//
// A pass over a draft of k tokens has k + 1 rows. It writes the accepted tokens and one more. If
// each token is accepted with probability a, given that those before it were, that makes (1 -
// a^(k+1)) / (1 - a) tokens on average (Leviathan et al. 2023, https://arxiv.org/abs/2211.17192,
// §3.1). Divided by the cost of a pass of k + 1 rows, this is largest for some k, possibly 0.
//
// A looked-up draft is accepted more often the more tokens matched before it: in 217 texts, one in
// three after a match of two or three tokens, nearly all after 16. So a grows along such a draft,
// and is learnt separately for short and long matches.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace confab::engine {

// The cost of passes on this machine by their number of rows, measured while the model runs.
//
// It has no clock: everything follows from the recorded times. Costs are in units of a pass of one
// row.
class PassCosts {
 public:
  static constexpr int kMostRows = 16;
  // A cost is forgotten after this many passes without one of as many rows.
  static constexpr int kRemembered = 256;

  PassCosts() noexcept;

  // The time that a pass of at least one row took, with everything that belongs to it. It counts at
  // most as one single-row pass per row, because the machine may have been busy with something
  // else. Passes longer than kMostRows teach nothing.
  void record(int n_rows, std::chrono::duration<double> time) noexcept;
  // How many passes have been recorded.
  long n_passes() const noexcept { return n_passes_; }
  // How many recent passes had so many rows.
  int n_seen(int n_rows) const noexcept;
  bool is_known(int n_rows) const noexcept { return n_seen(n_rows) > 0; }
  // The cost of such a pass, as far as it is known: the median of the last five. Between known
  // lengths it is interpolated linearly. Beyond them it grows half as steeply, so that longer
  // passes are tried.
  double of(int n_rows) const noexcept { return seconds(n_rows) / seconds(1); }
  // An upper bound on that cost: several shorter passes with as many rows together. Two rows count
  // as at most 1.5 until two such passes have been measured, because the first may wait for weights
  // that are still on disk.
  double at_most(int n_rows) const noexcept;
  // The cost of the last pass.
  double of_last() const noexcept { return last_seconds_ / seconds(1); }

 private:
  static constexpr int kSamples = 5;
  struct Times {
    std::array<double, kSamples> last;  // seconds, a ring buffer
    int n = 0;                          // how many were recorded
    long pass = 0;                      // number of the last one
  };
  double& seconds(int n_rows) noexcept { return seconds_[static_cast<std::size_t>(n_rows)]; }
  double seconds(int n_rows) const noexcept { return seconds_[static_cast<std::size_t>(n_rows)]; }
  double median(int n_rows) const noexcept;
  void estimate() noexcept;
  void draw_lines(std::span<const int> rows) noexcept;

  std::array<Times, kMostRows + 1> times_{};  // indexed by rows
  long n_passes_ = 0;
  double last_seconds_ = 1;
  std::array<double, kMostRows + 1> seconds_{};  // indexed by rows; never decreases from [1] on
};

// It has no clock: everything follows from the recorded times.
//
// Bound: if costs are steady and no pass costs more than PassCosts::at_most(), a text of n tokens
// takes at most as long as n + n / 128 + 1/2 passes of one row, plus one more pass if at least
// kSureMatch tokens matched. A higher cost is met once, or twice if the pass has two rows. A credit
// ensures this: it starts at that half, and grows by what drafts gain over passes of one row and a
// little with each token. A draft that may cost more than the credit is not made.
class DraftLength {
 public:
  static constexpr int kMost = PassCosts::kMostRows - 1;
  // A match of this many tokens is rarely wrong.
  static constexpr int kSureMatch = 16;

  struct Choice {
    int length = 0;
    double speed = 1;  // expected speed-up over no draft
  };

  // How many tokens to draft for the next pass, from 0 to min(most, kMost), if `most` are
  // available. `match` is how many tokens before them matched; 0 if that is not known. Returns 0
  // until the cost of a pass without a draft is known. The first drafts are short if long ones may
  // be expensive.
  Choice choose(int most, int match = 0) const noexcept;
  int next(int most, int match = 0) const noexcept { return choose(most, match).length; }

  // The time that a pass of so many rows took, including the drafting.
  void record(int n_rows, std::chrono::duration<double> time) noexcept;
  // The outcome of that pass; call it after record(). n_drafted tokens (possibly 0) were drafted
  // after that match, and the first n_taken were right. Older outcomes count less: half after 35
  // tokens. Returns how much the credit has grown.
  double accepted(int n_drafted, int n_taken, int match = 0) noexcept;
  // Adds the growth of another source's credit. Sources that draft for the same text share their
  // credit.
  void share(double growth) noexcept;
  // Another text begins. Half of what was learnt of acceptance is forgotten, and all that was
  // gained.
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
  std::array<Tries, kKinds> tries_{};  // tokens checked, by the match before each
  double credit_ = kFirstCredit;       // in passes of one row
};

}  // namespace confab::engine
