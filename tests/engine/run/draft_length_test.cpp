// SPDX-License-Identifier: MIT
#include "engine/run/draft_length.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "engine/run/pcg32.h"

namespace confab::engine {
namespace {

constexpr std::uint64_t kSeed = 20250611;
constexpr int kMost = DraftLength::kMost;
using Seconds = std::chrono::duration<double>;
using Cost = std::function<double(int n_rows)>;
// Whether each token of a text is the one that a source would have guessed.
using Guessed = std::vector<bool>;

// A pass of one row costs 1, each further row `growth`.
Cost growing(double growth) {
  return [growth](int n_rows) { return 1 + growth * (n_rows - 1); };
}

constexpr double kGrowths[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1};

// As kernels have them: in steps, lower at a step than before it, bent, and for eight rows at once.
std::vector<Cost> uneven_costs() {
  return {
      [](int n) { return 1.0 + 0.5 * ((n - 1) / 4); },
      [](int n) { return n == 1       ? 1.0
                         : n % 4 == 0 ? 1.2 + 0.05 * n
                                      : 1.5 + 0.05 * n; },
      [](int n) { return std::sqrt(n); },
      [](int n) { return (n <= 8 ? 1 : 2) + 0.05 * (n - 1); },
      [](int n) { return n <= 8 ? 1 + 0.02 * (n - 1) : 1.5 + 0.1 * (n - 8); },
  };
}

// Nearly all of the cost, or none of it, comes with a few rows.
std::vector<Cost> extreme_costs() {
  return {
      [](int n) { return n == 1 ? 1.0 : 1.9 + 0.01 * n; },
      [](int n) { return n <= 8 ? 1.0 : 2.0; },
      [](int n) { return (n + 1) / 2; },
      [](int n) { return n <= 2 ? n : 3.0; },
  };
}

// The text in parts of equal length, each with its own share of tokens guessed.
Guessed guessed(Pcg32& random, const std::vector<double>& shares, std::size_t n) {
  Guessed text;
  for (const double share : shares) {
    for (std::size_t i = 0; i < n / shares.size(); ++i) {
      text.push_back(random.next_double() < share);
    }
  }
  return text;
}

int n_right(const Guessed& text, std::size_t pos, int n_drafted) {
  std::size_t end = pos;
  while (end < text.size() && end - pos < static_cast<std::size_t>(n_drafted) && text[end]) ++end;
  return static_cast<int>(end - pos);
}

// How long the text takes.
double time_of_fixed(const Guessed& text, int n_drafted, const Cost& cost) {
  double time = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    time += cost(n_drafted + 1);
    pos += static_cast<std::size_t>(n_right(text, pos, n_drafted)) + 1;
  }
  return time;
}

double time_of_best_fixed(const Guessed& text, const Cost& cost) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kMost; ++k) best = std::min(best, time_of_fixed(text, k, cost));
  return best;
}

double time_of(DraftLength& length, const Guessed& text, const Cost& cost, int match = 0) {
  double time = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    const int n_drafted = length.next(kMost, match);
    const double pass = cost(n_drafted + 1);
    const int n_taken = n_right(text, pos, n_drafted);
    length.record(n_drafted + 1, Seconds(pass));
    length.accepted(n_drafted, n_taken, match);
    time += pass;
    pos += static_cast<std::size_t>(n_taken) + 1;
  }
  return time;
}

double time_of(const Guessed& text, const Cost& cost, int match = 0) {
  DraftLength length;
  return time_of(length, text, cost, match);
}

// Passes in which all of a draft, or nothing, is right.
void write(DraftLength& length, int n_passes, bool right, const Cost& cost) {
  for (int i = 0; i < n_passes; ++i) {
    const int n = length.next(kMost);
    length.record(n + 1, Seconds(cost(n + 1)));
    length.accepted(n, right ? n : 0);
  }
}

TEST(DraftLengthTest, FirstMeasuresAPassWithoutADraft) {
  DraftLength length;
  EXPECT_EQ(length.next(100), 0);
  length.record(1, Seconds(0.1));
  length.accepted(0, 0);
  EXPECT_EQ(length.next(100), 1);
  EXPECT_EQ(length.next(0), 0);
}

// The first drafts are no longer than could be lost, by what is known of costs.
TEST(DraftLengthTest, BeginsWithAShortDraftAndDoublesWhatIsCheap) {
  DraftLength length;
  std::vector<int> drafts;
  for (int pass = 0; pass < 6; ++pass) {
    drafts.push_back(length.next(kMost));
    write(length, 1, true, growing(0.02));
  }
  EXPECT_EQ(drafts, (std::vector<int>{0, 1, 3, 10, kMost, kMost}));
}

TEST(DraftLengthTest, BeginsWithALongerDraftAfterAMatchThatIsRarelyWrong) {
  DraftLength length;
  write(length, 2, false, growing(0.02));
  EXPECT_EQ(length.next(kMost, DraftLength::kSureMatch - 1), 1);
  EXPECT_EQ(length.next(kMost, DraftLength::kSureMatch), 3);
}

TEST(DraftLengthTest, TrustsAShortMatchLessThanALongOne) {
  DraftLength length;
  write(length, 20, true, growing(0.5));
  EXPECT_EQ(length.next(kMost, 2), 0);
  EXPECT_GT(length.next(kMost, 8), 0);
  EXPECT_GT(length.choose(kMost, 20).speed, length.choose(kMost, 8).speed);
}

// What is learnt of short matches says nothing about long ones.
// What is learnt of short matches says nothing about long ones.
TEST(DraftLengthTest, LearnsOfShortAndLongMatchesApart) {
  DraftLength length;
  write(length, 20, true, growing(0.1));
  const Cost cost = growing(0.1);
  for (int i = 0; i < 20; ++i) {
    const int n = length.next(kMost, 2);
    length.record(n + 1, Seconds(cost(n + 1)));
    length.accepted(n, 0, 2);
  }
  EXPECT_EQ(length.next(kMost, 2), 0);
  EXPECT_GT(length.next(kMost, 9), 3);
}

TEST(DraftLengthTest, DraftsAllThatMayBeWhereAllIsTakenAndNothingWhereNothingIs) {
  DraftLength length;
  write(length, 30, true, growing(0.1));
  EXPECT_EQ(length.next(100), kMost);
  EXPECT_EQ(length.next(6), 6);
  write(length, 100, false, growing(0.1));
  EXPECT_EQ(length.next(kMost), 0);
}

TEST(DraftLengthTest, DoesNotDraftWhereAPassOfTwoTokensCostsTwoOfOne) {
  DraftLength length;
  write(length, 3, true, growing(1));
  EXPECT_EQ(length.next(kMost), 0);
}

// Where drafts do not pay, one of a token is tried as often as a 128th of the time is enough for.
TEST(DraftLengthTest, TriesSeldomWhatDoesNotPay) {
  DraftLength length;
  std::vector<int> tries;
  for (int pass = 0; pass < 1000; ++pass) {
    const int n = length.next(kMost);
    if (n > 0) tries.push_back(pass);
    EXPECT_LE(n, 1);
    write(length, 1, false, growing(1));
  }
  EXPECT_EQ(tries.size(), 7U) << testing::PrintToString(tries);
  EXPECT_EQ(tries[0], 1);
}

// The first pass with a draft of a model reads its weights from the disk.
TEST(DraftLengthTest, OnePassThatTookLongIsNoReasonToStop) {
  DraftLength length;
  write(length, 1, true, growing(0.1));
  write(length, 1, true, growing(9));
  write(length, 10, true, growing(0.1));
  EXPECT_EQ(length.next(kMost), kMost);
}

TEST(DraftLengthTest, DraftsAgainWhereTriesAreRight) {
  DraftLength length;
  write(length, 500, false, growing(0.1));
  write(length, 100, true, growing(0.1));
  EXPECT_EQ(length.next(kMost), kMost);
}

// What passes cost is still known.
TEST(DraftLengthTest, AnotherTextIsNoFirstText) {
  DraftLength length;
  write(length, 20, true, growing(0.02));
  length.restart();
  EXPECT_EQ(length.next(kMost), kMost);
  DraftLength dear;
  write(dear, 200, true, growing(1));
  dear.restart();
  EXPECT_EQ(dear.next(kMost), 0);
}

// What was gained with one text is not there to be lost with the next.
TEST(DraftLengthTest, TheBoundHoldsForEachText) {
  for (const double growth : kGrowths) {
    DraftLength length;
    write(length, 300, true, growing(growth));
    length.restart();
    const double time = time_of(length, Guessed(1000, false), growing(growth));
    EXPECT_LE(time, 1000 + 1000.0 / 128 + 0.5) << growth;
  }
}

TEST(DraftLengthTest, OnePassThatTookLongChangesNothing) {
  DraftLength length;
  write(length, 60, true, growing(0.1));
  for (const int n_rows : {1, kMost + 1}) {
    length.record(n_rows, Seconds(100));
    EXPECT_EQ(length.next(kMost), kMost) << n_rows;
  }
}

TEST(DraftLengthTest, ATimeOfZeroIsATime) {
  DraftLength length;
  write(length, 20, true, [](int) { return 0.0; });
  EXPECT_EQ(length.next(kMost), kMost);
}

// Two sources lose no more together than one.
TEST(DraftLengthTest, SourcesOfATextShareTheirCredit) {
  DraftLength one, other;
  for (DraftLength* length : {&one, &other}) {
    length->record(1, Seconds(1));
    length->accepted(0, 0);
  }
  EXPECT_EQ(other.next(kMost), 1);
  one.record(2, Seconds(2));
  other.share(one.accepted(1, 0));
  EXPECT_EQ(other.next(kMost), 0);
  other.share(1);
  EXPECT_EQ(other.next(kMost), 1);
}

// Several passes with as many rows together cost no less, for each of these.
TEST(DraftLengthTest, GuessesThatAreNeverRightCostNoMoreThanTheBound) {
  std::vector<Cost> costs = uneven_costs();
  for (const double growth : kGrowths) costs.push_back(growing(growth));
  for (const Cost& cost : extreme_costs()) costs.push_back(cost);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const int match : {0, 2, 5, 10, DraftLength::kSureMatch}) {
      for (const std::size_t n : {1U, 10U, 100U, 300U, 1000U, 2000U, 20000U}) {
        const double without = static_cast<double>(n);
        // Two rows that cost more than is assumed are met twice.
        const double lost =
            0.5 + 2 * std::max(costs[i](2) - 1.5, 0.0) + (match == DraftLength::kSureMatch ? 1 : 0);
        EXPECT_LE(time_of(Guessed(n, false), costs[i], match), without + without / 128 + lost)
            << "cost " << i << ", match " << match << ", " << n << " tokens";
      }
    }
  }
}

// Costs that are worse than that are met once for each length.
TEST(DraftLengthTest, LongPassesThatCostMoreThanShortOnesTogetherAreMetOnce) {
  const std::vector<Cost> costs = {
      [](int n) { return n <= 8 ? 1.0 : n; },
      [](int n) { return n <= 2 ? 1.0 : n; },
  };
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const std::size_t n : {10U, 1000U, 20000U}) {
      const double without = static_cast<double>(n);
      EXPECT_LE(time_of(Guessed(n, false), costs[i]), without + without / 64 + kMost) << i;
    }
  }
}

void expect_near_the_best_fixed(const std::vector<double>& shares, const Cost& cost,
                                double near = 0.9) {
  Pcg32 random(kSeed);
  for (int i = 0; i < 5; ++i) {
    const Guessed text = guessed(random, shares, 2000);
    EXPECT_GE(time_of_best_fixed(text, cost), near * time_of(text, cost))
        << "guessed " << testing::PrintToString(shares) << ", seed " << kSeed << ", text " << i;
  }
}

TEST(DraftLengthTest, IsNearlyAsFastAsTheBestFixedLength) {
  for (const double growth : kGrowths) {
    SCOPED_TRACE(growth);
    for (const double share : {0.3, 0.6, 0.9, 1.0}) {
      expect_near_the_best_fixed({share}, growing(growth));
    }
  }
}

TEST(DraftLengthTest, IsNearlyAsFastAsTheBestFixedLengthWhereTheTextChanges) {
  for (const double growth : kGrowths) {
    SCOPED_TRACE(growth);
    for (const double first : {0.0, 0.3, 0.6, 0.9}) {
      for (const double second : {0.0, 0.3, 0.6, 0.9}) {
        if (first != second) expect_near_the_best_fixed({first, second}, growing(growth));
      }
    }
  }
}

TEST(DraftLengthTest, IsNearlyAsFastAsTheBestFixedLengthWhereCostsAreUneven) {
  const std::vector<Cost> costs = uneven_costs();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    SCOPED_TRACE(i);
    for (const double share : {0.3, 0.6, 0.9}) expect_near_the_best_fixed({share}, costs[i], 0.85);
  }
}

// A tenth up and down, and one pass in fifty takes thrice as long.
TEST(DraftLengthTest, IsNearlyAsFastAsTheBestFixedLengthWhereTimesVary) {
  Pcg32 random(kSeed);
  for (const double growth : {0.02, 0.1, 0.3, 0.7}) {
    for (const double share : {0.0, 0.3, 0.6, 0.9}) {
      const Guessed text = guessed(random, {share}, 2000);
      const Cost varying = [&random, cost = growing(growth)](int n_rows) {
        const double time = cost(n_rows) * (0.9 + 0.2 * random.next_double());
        return random.next_double() < 0.02 ? 3 * time : time;
      };
      EXPECT_GE(time_of_best_fixed(text, varying), 0.9 * time_of(text, varying))
          << share << " guessed, a row costs " << growth << ", seed " << kSeed;
    }
  }
}

// The same text again: what passes cost is known, what is taken is found out anew.
TEST(DraftLengthTest, IsNoSlowerWithTheNextText) {
  Pcg32 random(kSeed);
  DraftLength length;
  for (int i = 0; i < 3; ++i) {
    const Guessed text = guessed(random, {0.6}, 2000);
    const double time = time_of(length, text, growing(0.1));
    EXPECT_GE(time_of_best_fixed(text, growing(0.1)), 0.9 * time) << i;
    length.restart();
  }
}

constexpr int kMostRows = PassCosts::kMostRows;

TEST(PassCostsTest, BeforeAnythingIsKnownARowMoreCostsATwentieth) {
  const PassCosts costs;
  EXPECT_FALSE(costs.is_known(1));
  EXPECT_DOUBLE_EQ(costs.of(1), 1);
  EXPECT_NEAR(costs.of(5), 1.2, 1e-9);
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.5);
  EXPECT_DOUBLE_EQ(costs.at_most(5), 5);
}

TEST(PassCostsTest, AreMultiplesOfAPassOfOneRow) {
  PassCosts costs;
  costs.record(1, Seconds(0.2));
  costs.record(4, Seconds(0.3));
  EXPECT_TRUE(costs.is_known(4));
  EXPECT_NEAR(costs.of(4), 1.5, 1e-9);
}

TEST(PassCostsTest, LieOnALineBetweenThoseSeenAndOnAFlatterOneBeyond) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(5, Seconds(3));
  EXPECT_NEAR(costs.of(3), 2, 1e-9);
  EXPECT_NEAR(costs.of(9), 4, 1e-9);
}

TEST(PassCostsTest, WithoutAPassOfOneRowItIsAssumed) {
  PassCosts costs;
  costs.record(5, Seconds(1.2));
  EXPECT_FALSE(costs.is_known(1));
  EXPECT_NEAR(costs.of(5), 1.2, 1e-9);
  costs.record(1, Seconds(0.4));
  EXPECT_NEAR(costs.of(5), 3, 1e-9);
}

// As several shorter ones that are known.
TEST(PassCostsTest, AreBoundedBeforeTheyAreKnown) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.5);
  EXPECT_DOUBLE_EQ(costs.at_most(3), 3);
  costs.record(2, Seconds(1.1));
  EXPECT_NEAR(costs.at_most(2), 1.1, 1e-9);
  EXPECT_NEAR(costs.at_most(3), 2.2, 1e-9);
  EXPECT_NEAR(costs.at_most(8), 4.4, 1e-9);
  costs.record(8, Seconds(1.5));
  EXPECT_NEAR(costs.at_most(3), 1.5, 1e-9);
  EXPECT_NEAR(costs.at_most(kMostRows), 3, 1e-9);
}

TEST(PassCostsTest, OfTwoRowsOnePassAloneIsNotBelieved) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(2, Seconds(9));
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.5);
  costs.record(2, Seconds(1.9));
  EXPECT_DOUBLE_EQ(costs.at_most(2), 1.9);
}

TEST(PassCostsTest, OnePassThatTookLongChangesNothing) {
  PassCosts costs;
  for (int i = 0; i < 5; ++i) {
    costs.record(1, Seconds(1));
    costs.record(4, Seconds(2));
  }
  costs.record(1, Seconds(100));
  costs.record(4, Seconds(100));
  EXPECT_DOUBLE_EQ(costs.of(4), 2);
  EXPECT_DOUBLE_EQ(costs.of_last(), 4);
}

TEST(PassCostsTest, APassCostsNoMoreThanOneForEachRow) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(2, Seconds(7));
  EXPECT_EQ(costs.n_seen(2), 1);
  EXPECT_DOUBLE_EQ(costs.of(2), 2);
  EXPECT_DOUBLE_EQ(costs.of_last(), 2);
}

TEST(PassCostsTest, APassCostsNoMoreThanALongerOne) {
  PassCosts costs;
  costs.record(1, Seconds(1));
  costs.record(2, Seconds(5));
  costs.record(8, Seconds(2));
  EXPECT_DOUBLE_EQ(costs.of(2), 2);
}

TEST(PassCostsTest, WhatIsNotSeenAgainIsForgotten) {
  PassCosts costs;
  costs.record(4, Seconds(9));
  for (int i = 0; i < PassCosts::kRemembered; ++i) costs.record(1, Seconds(1));
  EXPECT_TRUE(costs.is_known(4));
  costs.record(1, Seconds(1));
  EXPECT_FALSE(costs.is_known(4));
  costs.record(4, Seconds(2));
  EXPECT_DOUBLE_EQ(costs.of(4), 2);
}

TEST(PassCostsTest, LongPassesTeachNothing) {
  PassCosts costs;
  costs.record(kMostRows + 1, Seconds(1));
  costs.record(512, Seconds(1));
  EXPECT_NEAR(costs.of(kMostRows), 1.75, 1e-9);
}

TEST(PassCostsTest, ATimeOfZeroIsATime) {
  PassCosts costs;
  costs.record(1, Seconds(0));
  costs.record(2, Seconds(0));
  EXPECT_DOUBLE_EQ(costs.of(2), 1);
}

}  // namespace
}  // namespace confab::engine
