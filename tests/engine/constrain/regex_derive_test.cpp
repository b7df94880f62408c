// SPDX-License-Identifier: MIT
// The automaton against a matcher that tries every way to read a text.
#include <gtest/gtest.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/constrain/regex.h"
#include "tests/engine/constrain/random_expression.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

constexpr std::size_t kLongest = 5;

class RegexDeriveTest : public testing::Test {
 protected:
  const std::vector<std::string> texts = texts_up_to(kLongest);
  std::mt19937 rng{20261123};
  RegexSet r;
};

TEST_F(RegexDeriveTest, RandomExpressionsMatchWhatAnotherMatcherSays) {
  for (int i = 0; i < 250; ++i) {
    const Expression one = random_expression(rng, 3, {});
    const RegexId id = made(r, one);
    for (const std::string& text : texts)
      ASSERT_EQ(r.matches(id, text), matches(one, text)) << i << " " << text;
  }
}

TEST_F(RegexDeriveTest, CombinationsAreCombinationsOfTheAnswers) {
  for (int i = 0; i < 200; ++i) {
    const Expression x = random_expression(rng, 4, {.has_sets = false});
    const Expression y = random_expression(rng, 4, {.has_sets = false});
    const RegexId a = made(r, x), b = made(r, y);
    const RegexId both = r.both({a, b}), either = r.either({a, b}), without = r.negation(b);
    const RegexId apart = r.both({a, without});
    for (const std::string& text : texts) {
      const bool in_a = r.matches(a, text), in_b = r.matches(b, text);
      ASSERT_EQ(r.matches(both, text), in_a && in_b) << i << " " << text;
      ASSERT_EQ(r.matches(either, text), in_a || in_b) << i << " " << text;
      ASSERT_EQ(r.matches(without, text), !in_b) << i << " " << text;
      ASSERT_EQ(r.matches(apart, text), in_a && !in_b) << i << " " << text;
    }
  }
}

// What accepts nothing has no text, and what accepts something has a shortest one.
TEST_F(RegexDeriveTest, EmptinessAndShortestTexts) {
  int n_empty = 0;
  for (int i = 0; i < 300; ++i) {
    const Expression one = random_expression(rng, 3, {});
    const RegexId id = made(r, one);
    const auto first = std::ranges::find_if(texts, [&](const auto& t) { return matches(one, t); });
    if (r.is_empty(id)) {
      ++n_empty;
      ASSERT_EQ(first, texts.end()) << i << " " << *first;
      continue;
    }
    const auto found = r.shortest_by_tag(id);
    ASSERT_EQ(found.size(), 1U) << i;
    EXPECT_EQ(found[0].first, -1);
    EXPECT_TRUE(matches(one, found[0].second)) << i;
    EXPECT_EQ(std::min(found[0].second.size(), kLongest + 1),
              first == texts.end() ? kLongest + 1 : first->size())
        << i;
  }
  EXPECT_GT(n_empty, 10);
}

TEST_F(RegexDeriveTest, NothingFollowsWhereNothingCanBeAccepted) {
  for (int i = 0; i < 200; ++i) {
    const Expression one = random_expression(rng, 3, {});
    const RegexId id = made(r, one);
    for (const std::string& text : texts_up_to(3)) {
      if (text.empty()) continue;
      const RegexId state = r.derive(id, text);
      EXPECT_EQ(state == RegexSet::kNothing, r.is_empty(state)) << i << " " << text;
    }
  }
}

TEST_F(RegexDeriveTest, EachTagHasItsShortestText) {
  for (int i = 0; i < 50; ++i) {
    std::vector<Expression> all;
    std::vector<RegexId> tagged;
    for (int tag = 0; tag < 3; ++tag) {
      all.push_back(random_expression(rng, 3, {.has_sets = tag == 0}));
      tagged.push_back(r.concat(made(r, all.back()), r.tag(tag)));
    }
    const RegexId id = r.either(tagged);
    if (r.is_empty(id)) continue;
    std::map<int, std::string> shortest;
    for (const auto& [tag, text] : r.shortest_by_tag(id)) shortest[tag] = text;
    for (int tag = 0; tag < 3; ++tag) {
      const Expression& one = all[static_cast<std::size_t>(tag)];
      for (const std::string& text : texts) {
        const std::vector<int> tags = r.tags(r.derive(id, text));
        ASSERT_EQ(std::ranges::count(tags, tag), matches(one, text)) << i << " " << text;
        if (!matches(one, text)) continue;
        ASSERT_TRUE(shortest.count(tag)) << i << " " << tag;
        EXPECT_LE(shortest[tag].size(), text.size());
      }
      EXPECT_TRUE(!shortest.count(tag) || matches(one, shortest[tag])) << i << " " << tag;
    }
  }
}

// A long repetition without its limit accepts all that it did, and so do all states on the way.
TEST_F(RegexDeriveTest, WithoutLimitsNothingIsLost) {
  int n_changed = 0;
  for (int i = 0; i < 300; ++i) {
    const RegexId id = made(r, random_expression(rng, 3, {.longest_repeat = 14}));
    for (const std::string& begin : texts_up_to(2)) {
      const RegexId state = r.derive(id, begin), free = r.without_limits(state);
      n_changed += free != state;
      for (const std::string& text : texts)
        ASSERT_TRUE(r.matches(free, text) || !r.matches(state, text)) << i << " " << text;
    }
  }
  EXPECT_GT(n_changed, 10);
}

TEST_F(RegexDeriveTest, WhatIsSaidToBeAlikeIsAlike) {
  int n_alike = 0;
  for (int i = 0; i < 300; ++i) {
    const RegexId id =
        r.concat(made(r, random_expression(rng, 3, {.longest_repeat = 14})), r.tag(1));
    std::vector<RegexId> states;
    for (const std::string& begin : texts_up_to(2)) {
      states.push_back(r.derive(id, begin));
      states.push_back(r.without_limits(states.back()));
    }
    for (const RegexId a : states)
      for (const RegexId b : states)
        for (std::size_t n = 0; a < b && n <= 4; ++n) {
          if (!r.are_alike(a, b, static_cast<int>(n))) continue;
          ++n_alike;
          for (std::size_t at = 0; at < texts.size() && texts[at].size() <= n; ++at)
            ASSERT_EQ(r.tags(r.derive(a, texts[at])), r.tags(r.derive(b, texts[at])))
                << i << " " << texts[at];
        }
  }
  EXPECT_GT(n_alike, 10);
}

// Each part of the one has its like in the other, but not the other way round.
TEST_F(RegexDeriveTest, APartThatOnlyOneHasIsADifference) {
  const RegexId as = r.repeat(r.literal("ab"), 0, 30), more = r.repeat(r.literal("ab"), 0, 40);
  const RegexId free = r.repeat(r.literal("ab"), 0, RegexSet::kNoLimit);
  const RegexId z = r.repeat(r.literal("zz"), 1, 20);
  EXPECT_TRUE(r.are_alike(r.either({as, z}), r.either({free, z}), 4));
  EXPECT_FALSE(r.are_alike(r.either({as, more}), r.either({free, z}), 4));
  EXPECT_FALSE(r.are_alike(r.either({free, z}), r.either({as, more}), 4));
}

TEST_F(RegexDeriveTest, WhatIsTooLargeToKnowOfIsSaid) {
  // The ninth byte from the end is an a, and the eleventh, and so on: an automaton of many states.
  const RegexId any = r.repeat(r.bytes(ByteSet::range('a', 'b')), 0, RegexSet::kNoLimit);
  std::vector<RegexId> parts;
  for (int n : {16, 17, 18, 19, 20}) {
    const RegexId rest = r.repeat(r.bytes(ByteSet::range('a', 'b')), n, n);
    parts.push_back(r.concat({any, r.literal("a"), rest, r.literal("b")}));
    parts.push_back(r.negation(r.concat({any, r.literal("b"), rest, r.literal("b")})));
  }
  parts.push_back(r.literal(std::string(30, 'c')));
  const std::string fault = error_of([&] { r.is_empty(r.both(parts)); });
  EXPECT_TRUE(fault.empty() || fault == "it is too complex: simplify its patterns") << fault;
  EXPECT_TRUE(r.matches(r.literal("b"), "b"));
}

// Expressions as long as people paste them; each step from one byte to the next is a small one.
TEST_F(RegexDeriveTest, LongExpressionsAreWalkedInBoundedDepth) {
  RegexId optional = RegexSet::kEmpty;
  for (int i = 0; i < 1000; ++i) optional = r.concat(r.optional(r.literal("a")), optional);
  EXPECT_TRUE(r.matches(optional, "aaaaaaaa"));
  EXPECT_FALSE(r.matches(optional, "aaab"));
  RegexSet other;
  optional = RegexSet::kEmpty;
  for (int i = 0; i < 60'000; ++i)
    optional = other.concat(other.optional(other.literal("a")), optional);
  EXPECT_EQ(error_of([&] { other.derive(optional, "a"); }),
            "it is too complex: simplify its patterns");
  EXPECT_EQ(other.tags(optional), std::vector<int>{});
  const std::string text(60'000, 'q');
  RegexSet large;
  const RegexId literal = large.literal(text);
  EXPECT_EQ(large.without_limits(literal), literal);
  EXPECT_TRUE(large.matches(literal, text));
  const RegexId some = large.repeat(large.literal("b"), 1, 100);
  const RegexId free = large.repeat(large.literal("b"), 1, RegexSet::kNoLimit);
  const RegexId limited = large.concat(literal, some), unlimited = large.concat(literal, free);
  EXPECT_EQ(large.without_limits(limited), unlimited);
  EXPECT_EQ(large.without_limits(large.derive(limited, "qq")), large.derive(unlimited, "qq"));
  EXPECT_TRUE(large.are_alike(limited, unlimited, 20));
  EXPECT_FALSE(large.are_alike(limited, unlimited, 200));
}

using Texts = std::map<int, std::string>;

class RegexShortestTest : public testing::Test {
 protected:
  Texts shortest(RegexId id) {
    const auto found = r.shortest_by_tag(id);
    return {found.begin(), found.end()};
  }
  // Counts letters up to n and starts again; accepts multiples of n.
  RegexId multiples(int n) {
    auto table = std::make_shared<RegexSet::Table>();
    table->columns = {ByteSet::range('a', 'z')};
    for (int i = 0; i < n; ++i) {
      table->next.push_back((i + 1) % n);
      table->accepts.push_back(i == 0);
    }
    return r.concat(letter, r.table(table, 1));
  }

  RegexSet r;
  const RegexId letter = r.bytes(ByteSet::range('a', 'z'));
  const RegexId stop = r.literal(".");
};

// The parts of these are known without their whole automaton.
TEST_F(RegexShortestTest, WhatIsLongIsPutTogetherFromItsParts) {
  const std::string letters(80'000, 'a');
  const RegexId many = r.repeat(letter, 80'000, RegexSet::kNoLimit);
  EXPECT_EQ(shortest(many), (Texts{{-1, letters}}));
  EXPECT_EQ(shortest(r.concat({stop, many, stop})), (Texts{{-1, "." + letters + "."}}));
  const RegexId either = r.either({r.concat({many, stop, r.tag(3)}), r.concat({many, r.tag(5)}),
                                   r.concat({many, many, stop, r.tag(5)})});
  EXPECT_EQ(shortest(either), (Texts{{3, letters + "."}, {5, letters}}));
}

TEST_F(RegexShortestTest, WhatIsTooLongIsSaid) {
  RegexId all = r.repeat(letter, 100'000, RegexSet::kNoLimit);
  all = r.repeat(r.concat(all, stop), 100'000, RegexSet::kNoLimit);
  EXPECT_EQ(error_of([&] { r.shortest_by_tag(all); }), "it is too complex: simplify its patterns");
}

// Who counts by several numbers at once has as many states as their product.
TEST_F(RegexShortestTest, TooManyStatesAreKnownBeforeTheyAreNeeded) {
  const RegexId either = r.either({multiples(307), multiples(311), multiples(313)});
  const RegexId later = r.derive(either, std::string(308, 'a'));
  EXPECT_EQ(shortest(later), (Texts{{-1, std::string(3, 'a')}}));
  EXPECT_FALSE(r.can_be_explored(either));
  EXPECT_FALSE(r.can_be_explored(r.both({multiples(307), multiples(311)})));
  EXPECT_TRUE(r.can_be_explored(r.both({multiples(30), multiples(42)})));
  EXPECT_EQ(shortest(r.both({multiples(30), multiples(42)})), (Texts{{-1, std::string(210, 'a')}}));
}

// Where all states can be looked at, both ways come to texts of the same length.
TEST_F(RegexShortestTest, RandomExpressionsAmongLongParts) {
  std::mt19937 rng(20261125);
  int n = 0;
  while (n < 12) {
    RegexSet set;
    const RegexId one = made(set, random_expression(rng, 3, {}));
    if (set.is_empty(one)) continue;
    const std::string text = set.shortest_by_tag(one).front().second;
    const RegexId any = set.bytes(~ByteSet()), end = set.literal("."),
                  with_end = set.concat(one, end);
    const RegexId far = set.concat(set.repeat(any, 55'000, 55'000), with_end);
    const std::string whole = set.shortest_by_tag(far).front().second;
    ASSERT_EQ(whole.size(), 55'000 + text.size() + 1) << n;
    EXPECT_TRUE(set.matches(with_end, whole.substr(55'000))) << n;
    ++n;
  }
}

}  // namespace
}  // namespace confab::engine
