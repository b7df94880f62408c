// SPDX-License-Identifier: MIT
#include "engine/run/lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/pcg32.h"
#include "tests/engine/allocations.h"

namespace confab::engine {
namespace {

constexpr std::uint64_t kSeed = 20250611;
using Tokens = std::vector<Token>;

Tokens of(std::string_view letters) {
  return {letters.begin(), letters.end()};
}

std::string text(const Tokens& tokens) {
  return {tokens.begin(), tokens.end()};
}

Tokens random_tokens(Pcg32& random, int n, std::uint32_t n_vocab) {
  Tokens tokens;
  for (int i = 0; i < n; ++i) tokens.push_back(static_cast<Token>(random.next() % n_vocab));
  return tokens;
}

// Random, but as texts are: pieces of what it has held come again.
Tokens repetitive_tokens(Pcg32& random, std::size_t n, std::uint32_t n_vocab) {
  Tokens tokens = random_tokens(random, 3, n_vocab);
  while (tokens.size() < n) {
    const std::size_t from = random.next() % tokens.size();
    const std::size_t n_copied = random.next() % 100;
    for (std::size_t i = 0; i < n_copied; ++i) tokens.push_back(tokens[from + i]);
    tokens.push_back(static_cast<Token>(random.next() % n_vocab));
  }
  tokens.resize(n);
  return tokens;
}

struct Match {
  int length = 0;
  std::size_t next = 0;  // where the tokens after it begin
};

// By looking everywhere.
Match best_match(std::span<const Token> tokens) {
  Match best;
  for (std::size_t next = 1; next < tokens.size(); ++next) {
    int n = 0;
    while (n < Lookup::kMaxMatch && static_cast<std::size_t>(n) < next &&
           tokens[next - 1 - static_cast<std::size_t>(n)] ==
               tokens[tokens.size() - 1 - static_cast<std::size_t>(n)]) {
      ++n;
    }
    if (n > 0 && n >= best.length) best = {n, next};
  }
  return best;
}

Tokens continuation(std::span<const Token> tokens, Match match, std::size_t n) {
  Tokens all(tokens.begin(), tokens.end());
  for (std::size_t i = 0; i < n; ++i) {
    const Token token = all[match.next + i];
    all.push_back(token);
  }
  return {all.end() - static_cast<std::ptrdiff_t>(n), all.end()};
}

Tokens proposal(const Lookup& lookup, std::size_t n, int min_match = 1) {
  Tokens draft(n, -7);
  if (!lookup.propose(draft, min_match)) return {};
  return draft;
}

void expect_best(const Lookup& lookup, std::span<const Token> tokens) {
  const Match best = best_match(tokens);
  ASSERT_EQ(lookup.match_length(), best.length) << "after " << tokens.size() << " tokens";
  if (best.length == 0) {
    ASSERT_EQ(proposal(lookup, 4), Tokens());
  } else {
    ASSERT_EQ(proposal(lookup, 9), continuation(tokens, best, 9)) << tokens.size() << " tokens";
  }
}

void expect_best_all_along(const Tokens& tokens) {
  Lookup lookup(static_cast<int>(tokens.size()));
  for (std::size_t n = 1; n <= tokens.size(); ++n) {
    lookup.add(tokens[n - 1]);
    ASSERT_NO_FATAL_FAILURE(expect_best(lookup, std::span(tokens).first(n)));
  }
}

TEST(LookupTest, GoesOnAsTheTextDidAfterTheSameWords) {
  Lookup lookup(100);
  lookup.add(of("the cat sat. the c"));
  EXPECT_EQ(lookup.match_length(), 5);
  EXPECT_EQ(text(proposal(lookup, 6)), "at sat");
}

TEST(LookupTest, TheLongestMatchIsTakenBeforeALaterOne) {
  Lookup lookup(100);
  lookup.add(of("abcX_bcY_abc"));
  EXPECT_EQ(lookup.match_length(), 3);
  EXPECT_EQ(text(proposal(lookup, 1)), "X");
}

TEST(LookupTest, AmongEqualMatchesTheLastIsTaken) {
  Lookup lookup(100);
  lookup.add(of("abX.abY.ab"));
  EXPECT_EQ(text(proposal(lookup, 1)), "Y");
}

TEST(LookupTest, BeyondTheLongestMatchToldApartTheLastIsTaken) {
  const std::string longest(Lookup::kMaxMatch, 'm');
  Lookup lookup(1000);
  lookup.add(of("ab" + longest + "X.cb" + longest + "Y.ab" + longest));
  EXPECT_EQ(lookup.match_length(), Lookup::kMaxMatch);
  EXPECT_EQ(text(proposal(lookup, 1)), "Y");
}

TEST(LookupTest, NothingIsProposedWithoutAMatch) {
  Lookup lookup(100);
  EXPECT_EQ(lookup.match_length(), 0);
  EXPECT_TRUE(proposal(lookup, 3, 0).empty());
  lookup.add('a');
  EXPECT_TRUE(proposal(lookup, 3, 0).empty());
  lookup.add(of("bc"));
  EXPECT_TRUE(proposal(lookup, 3, 0).empty());
}

TEST(LookupTest, AMatchShorterThanAskedForProposesNothing) {
  Lookup lookup(100);
  lookup.add(of("abcd.abc"));
  EXPECT_EQ(text(proposal(lookup, 1, 3)), "d");
  EXPECT_TRUE(proposal(lookup, 1, 4).empty());
}

TEST(LookupTest, WhatRepeatsGoesOnRepeatingBeyondTheEnd) {
  Lookup lookup(100);
  lookup.add(of("aaaa"));
  EXPECT_EQ(lookup.match_length(), 3);
  EXPECT_EQ(text(proposal(lookup, 5)), "aaaaa");
  lookup.reset(of("xyzxyzx"));
  EXPECT_EQ(lookup.match_length(), 4);
  EXPECT_EQ(text(proposal(lookup, 8)), "yzxyzxyz");
}

TEST(LookupTest, AnEmptyDraftIsFilled) {
  Lookup lookup(100);
  lookup.add(of("aa"));
  EXPECT_TRUE(lookup.propose({}, 1));
}

TEST(LookupTest, IsTheBestMatchOfRandomTexts) {
  Pcg32 random(kSeed);
  for (const std::uint32_t n_vocab : {1U, 2U, 3U, 5U, 30U, 150000U}) {
    for (int i = 0; i < 10; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", " << n_vocab << " words, " << i);
      ASSERT_NO_FATAL_FAILURE(expect_best_all_along(random_tokens(random, 300, n_vocab)));
    }
  }
}

TEST(LookupTest, IsTheBestMatchOfTextsThatRepeatThemselves) {
  Pcg32 random(kSeed);
  for (const std::uint32_t n_vocab : {2U, 7U, 1000U}) {
    for (int i = 0; i < 4; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", " << n_vocab << " words, " << i);
      ASSERT_NO_FATAL_FAILURE(expect_best_all_along(repetitive_tokens(random, 700, n_vocab)));
    }
  }
}

TEST(LookupTest, IsTheBestMatchOfListsSaidAgain) {
  for (const int n_listed : {1, 2, 10, 170, 240}) {
    Tokens tokens;
    for (int i = 0; i < 720; ++i) tokens.push_back(i % n_listed);
    SCOPED_TRACE(n_listed);
    ASSERT_NO_FATAL_FAILURE(expect_best_all_along(tokens));
  }
}

// Whatever the longest walk left out: what is proposed did follow, after as many tokens as it says.
TEST(LookupTest, ProposesOnlyWhatFollowedInALongText) {
  Pcg32 random(kSeed);
  const Tokens tokens = repetitive_tokens(random, 100000, 50);
  Lookup lookup(100000);
  for (std::size_t n = 0; n < tokens.size(); n += 1000) {
    lookup.add(std::span(tokens).subspan(n, 1000));
    const auto match = static_cast<std::size_t>(lookup.match_length());
    if (match == 0) continue;
    Tokens wanted(tokens.begin() + static_cast<std::ptrdiff_t>(n + 1000 - match),
                  tokens.begin() + static_cast<std::ptrdiff_t>(n + 1000));
    wanted.push_back(proposal(lookup, 1)[0]);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(n + 1000);
    EXPECT_NE(std::search(tokens.begin(), end, wanted.begin(), wanted.end()), end) << n;
  }
}

TEST(LookupTest, AfterAResetIsAsIfNew) {
  Pcg32 random(kSeed);
  const Tokens first = repetitive_tokens(random, 500, 5);
  Tokens longer = first, other = first;
  const Tokens more = repetitive_tokens(random, 200, 5);
  longer.insert(longer.end(), more.begin(), more.end());
  other[250] += 1;
  const Tokens shorter(first.begin(), first.begin() + 200);
  Lookup lookup(1000);
  for (const Tokens& next : {first, longer, other, shorter, Tokens(), longer, shorter, longer}) {
    lookup.reset(next);
    ASSERT_TRUE(
        std::equal(next.begin(), next.end(), lookup.tokens().begin(), lookup.tokens().end()));
    ASSERT_NO_FATAL_FAILURE(expect_best(lookup, next));
  }
}

TEST(LookupTest, CutBackItKnowsOnlyWhatIsLeft) {
  Pcg32 random(kSeed);
  const Tokens tokens = repetitive_tokens(random, 600, 4);
  Lookup lookup(600);
  lookup.add(tokens);
  for (const int n : {600, 599, 300, 301, 1, 0}) {
    const int left = std::min(n, lookup.n_tokens());
    lookup.truncate(n);
    ASSERT_EQ(lookup.n_tokens(), left);
    ASSERT_NO_FATAL_FAILURE(
        expect_best(lookup, std::span(tokens).first(static_cast<std::size_t>(left))));
  }
  lookup.add(tokens);
  expect_best(lookup, tokens);
}

TEST(LookupTest, AllocatesOnlyWhenItIsMade) {
  Pcg32 random(kSeed);
  const Tokens tokens = random_tokens(random, 2000, 20);
  Lookup lookup(2000);
  const auto before = n_allocations();
  lookup.add(tokens);
  lookup.truncate(1000);
  lookup.reset(tokens);
  std::array<Token, 15> draft{};
  lookup.propose(draft, 1);
  EXPECT_EQ(n_allocations(), before);
}

}  // namespace
}  // namespace confab::engine
