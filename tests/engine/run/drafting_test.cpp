// SPDX-License-Identifier: MIT
#include "engine/run/drafting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace confab::engine {
namespace {

using std::chrono_literals::operator""ms;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kMany = 100;

TEST(DraftingTest, ProposesWhatFollowedBefore) {
  Drafting drafting(100, true);
  drafting.begin(std::vector<Token>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3});
  EXPECT_THAT(drafting.propose(2), ElementsAre(4, 5));
  drafting.add(4);
  EXPECT_THAT(drafting.propose(kMany), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(drafting.propose(0), IsEmpty());
}

TEST(DraftingTest, OneTokenThatWasThereBeforeSaysNothing) {
  Drafting drafting(100, true);
  drafting.begin(std::vector<Token>{1, 2, 3, 4, 2});
  EXPECT_THAT(drafting.propose(kMany), IsEmpty());
  drafting.add(3);
  EXPECT_THAT(drafting.propose(kMany), ElementsAre(4, 2));  // as many as matched
}

TEST(DraftingTest, OffItProposesNothing) {
  Drafting drafting(100, false);
  drafting.begin(std::vector<Token>{1, 2, 3, 1, 2});
  drafting.add(3);
  EXPECT_THAT(drafting.propose(kMany), IsEmpty());
  drafting.record(0, 0, 10ms);
}

// Another answer begins after another text.
TEST(DraftingTest, KnowsTheTextItWasToldLast) {
  Drafting drafting(100, true);
  drafting.begin(std::vector<Token>{1, 2, 3, 1, 2});
  drafting.begin(std::vector<Token>{1, 2, 9, 1, 2});
  EXPECT_THAT(drafting.propose(1), ElementsAre(9));
}

TEST(DraftingTest, DraftsThatAreNeverRightAreLeftAlone) {
  Drafting drafting(1000, true);
  std::vector<Token> text;
  for (int i = 0; i < 900; ++i) text.push_back(i % 7);
  drafting.begin(text);
  int n_drafted = 0;
  for (int pass = 0; pass < 90; ++pass) {
    const int n = static_cast<int>(drafting.propose(8).size());
    n_drafted += n;
    drafting.record(n, 0, 10ms + n * 5ms);
    drafting.add(static_cast<Token>(900 % 7 + pass) % 7);
  }
  EXPECT_GT(n_drafted, 0);
  EXPECT_LT(n_drafted, 30);
}

// A context may be one token longer than the cache: the last one has not been run.
TEST(DraftingTest, HoldsTheTokenAfterAFullContext) {
  Drafting drafting(4, true);
  drafting.begin(std::vector<Token>{1, 2, 1, 2});
  drafting.add(1);
  EXPECT_THAT(drafting.propose(2), ElementsAre(2, 1));
}

}  // namespace
}  // namespace confab::engine
