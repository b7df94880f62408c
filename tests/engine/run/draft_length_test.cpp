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

// As bad as may be: nearly all of the cost, or none of it, comes with a few rows.
std::vector<Cost> extreme_costs() {
  return {
      [](int n) { return n == 1 ? 1.0 : 1.9 + 0.01 * n; },
      [](int n) { return n <= 8 ? 1.0 : n; },
      [](int n) { return n <= 2 ? 1.0 : n; },
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

double time_of(DraftLength& length, const Guessed& text, const Cost& cost) {
  double time = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    const int n_drafted = length.next(kMost);
    const double pass = cost(n_drafted + 1);
    const int n_taken = n_right(text, pos, n_drafted);
    length.record(n_drafted + 1, Seconds(pass));
    length.accepted(n_drafted, n_taken);
    time += pass;
    pos += static_cast<std::size_t>(n_taken) + 1;
  }
  return time;
}

double time_of(const Guessed& text, const Cost& cost) {
  DraftLength length;
  return time_of(length, text, cost);
}

// Passes in which all of a draft, or nothing, is right.
void write(DraftLength& length, int n_passes, bool right, const Cost& cost) {
  for (int i = 0; i < n_passes; ++i) {
    const int n = length.next(kMost);
    length.record(n + 1, Seconds(cost(n + 1)));
    length.accepted(n, right ? n : 0);
  }
}

TEST(DraftLengthTest, BeforeAnythingIsKnownDraftsFourOfWhatThereIs) {
  const DraftLength length;
  EXPECT_EQ(length.next(100), 4);
  EXPECT_EQ(length.next(3), 3);
  EXPECT_EQ(length.next(0), 0);
}

TEST(DraftLengthTest, MeasuresAPassWithoutADraftSoon) {
  DraftLength length;
  length.record(5, Seconds(0.1));
  length.accepted(4, 4);
  EXPECT_EQ(length.next(kMost), 0);
  length.record(1, Seconds(0.08));
  length.accepted(0, 0);
  EXPECT_GT(length.next(kMost), 4);
}

TEST(DraftLengthTest, DraftsAllThatMayBeWhereAllIsTakenAndNothingWhereNothingIs) {
  DraftLength length;
  write(length, 30, true, growing(0.1));
  EXPECT_EQ(length.next(100), kMost);
  EXPECT_EQ(length.next(6), 6);
  write(length, 100, false, growing(0.1));
  int n_drafts = 0;
  for (int i = 0; i < 100; ++i) {
    n_drafts += length.next(kMost) > 0 ? 1 : 0;
    write(length, 1, false, growing(0.1));
  }
  EXPECT_LE(n_drafts, 100 / DraftLength::kFirstRest);
}

TEST(DraftLengthTest, DoesNotDraftWhereAPassOfTwoTokensCostsTwoOfOne) {
  DraftLength length;
  write(length, 2, true, growing(1));
  EXPECT_EQ(length.next(kMost), 0);
}

// Where a draft is not worth its cost, the next one is tried after 8 tokens, 16, and so on.
TEST(DraftLengthTest, TriesLessAndLessOftenWhatDoesNotPay) {
  DraftLength length;
  write(length, 2, false, growing(1));
  std::vector<int> waits, tries;
  int waited = 0;
  for (int pass = 0; pass < 1000; ++pass) {
    const int n = length.next(kMost);
    ++waited;
    if (n > 0) {
      tries.push_back(n);
      waits.push_back(std::exchange(waited, 0) - 1);
    }
    write(length, 1, false, growing(1));
  }
  EXPECT_EQ(waits, (std::vector<int>{8, 16, 32, 64, 128, 256, 256}));
  EXPECT_EQ(tries, (std::vector<int>{1, 2, 2, 2, 2, 2, 2}));
}

TEST(DraftLengthTest, ATryThatIsRightEndsTheRest) {
  DraftLength length;
  write(length, 200, false, growing(0.1));
  while (length.next(kMost) == 0) write(length, 1, false, growing(0.1));
  EXPECT_EQ(length.next(1), 1);
  write(length, 1, true, growing(0.1));
  EXPECT_GT(length.next(kMost), 0);
  EXPECT_LE(length.next(kMost), 4);  // one right try is no reason for the longest draft
  write(length, 10, true, growing(0.1));
  EXPECT_EQ(length.next(kMost), kMost);
}

TEST(DraftLengthTest, ANewTextIsGivenANewChance) {
  DraftLength length;
  write(length, 200, false, growing(0.02));
  length.restart();
  EXPECT_GT(length.next(kMost), 2);
  DraftLength dear;
  write(dear, 200, false, growing(1));
  dear.restart();
  EXPECT_EQ(dear.next(kMost), 0);  // what passes cost is still known
}

TEST(DraftLengthTest, OnePassThatTookLongChangesNothing) {
  DraftLength length;
  write(length, 60, true, growing(0.1));
  for (const int n_rows : {1, kMost + 1}) {
    length.record(n_rows, Seconds(100));
    EXPECT_EQ(length.next(kMost), kMost) << n_rows;
  }
}

// The only pass of 16 rows took ten times too long; it is forgotten in time.
TEST(DraftLengthTest, ACostThatIsNotSeenAgainIsForgotten) {
  DraftLength length;
  for (int i = 0; i < 5; ++i) length.record(1, Seconds(1));
  length.record(kMost + 1, Seconds(25));
  for (int i = 0; i < 20; ++i) {
    length.record(3, Seconds(1.2));
    length.accepted(2, 2);
  }
  EXPECT_LT(length.next(kMost), kMost);
  write(length, DraftLength::kRemembered + 20, true, growing(0.1));
  EXPECT_EQ(length.next(kMost), kMost);
}

TEST(DraftLengthTest, LongPassesTeachNothing) {
  DraftLength length;
  length.record(512, Seconds(1));
  EXPECT_EQ(length.next(kMost), 4);
}

TEST(DraftLengthTest, ATimeOfZeroIsATime) {
  DraftLength length;
  write(length, 20, true, [](int) { return 0.0; });
  EXPECT_EQ(length.next(kMost), kMost);
}

TEST(DraftLengthTest, GuessesThatAreNeverRightCostNoMoreThanTheBound) {
  std::vector<Cost> costs = extreme_costs();
  for (const Cost& cost : uneven_costs()) costs.push_back(cost);
  for (const double growth : kGrowths) costs.push_back(growing(growth));
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const std::size_t n : {1U, 10U, 100U, 300U, 1000U, 2000U, 20000U}) {
      const double without = static_cast<double>(n);
      const double time = time_of(Guessed(n, false), costs[i]);
      EXPECT_LE(time, without + without / 128 + 16) << "cost " << i << ", " << n << " tokens";
      if (n >= 2000) {
        EXPECT_LE(time, 1.02 * without) << "cost " << i;
      }
    }
  }
}

void expect_near_the_best_fixed(const std::vector<double>& shares, const Cost& cost) {
  Pcg32 random(kSeed);
  for (int i = 0; i < 5; ++i) {
    const Guessed text = guessed(random, shares, 2000);
    EXPECT_GE(time_of_best_fixed(text, cost), 0.9 * time_of(text, cost))
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
    for (const double share : {0.3, 0.6, 0.9}) expect_near_the_best_fixed({share}, costs[i]);
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

}  // namespace
}  // namespace confab::engine
