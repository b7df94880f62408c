// SPDX-License-Identifier: MIT
// How expressions are made: equal ones are one, and what says nothing is left out.
#include "engine/constrain/regex.h"

#include <gtest/gtest.h>

#include "tests/engine/constrain/random_expression.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

class RegexTest : public testing::Test {
 protected:
  RegexSet r;
  const RegexId a = r.literal("a"), b = r.literal("b"), c = r.literal("c");
};

TEST_F(RegexTest, EqualExpressionsAreOne) {
  EXPECT_EQ(r.literal("abc"), r.concat({a, b, c}));
  EXPECT_EQ(r.concat(r.concat(a, b), c), r.concat(a, r.concat(b, c)));
  EXPECT_EQ(r.either({a, b, c}), r.either({r.either({c, a}), b, a}));
  EXPECT_EQ(r.either({a, b}), r.bytes(ByteSet::range('a', 'b'))) << "sets become one";
  EXPECT_EQ(r.both({r.literal("ab"), r.literal("ac")}),
            r.both({r.literal("ac"), r.literal("ab"), r.literal("ab")}));
  EXPECT_EQ(r.both({r.bytes(ByteSet::range('a', 'm')), r.bytes(ByteSet::range('m', 'z'))}),
            r.literal("m"));
}

TEST_F(RegexTest, WhatSaysNothingIsLeftOut) {
  EXPECT_EQ(r.bytes(ByteSet()), RegexSet::kNothing);
  EXPECT_EQ(r.literal(""), RegexSet::kEmpty);
  EXPECT_EQ(r.concat(a, RegexSet::kEmpty), a);
  EXPECT_EQ(r.concat(RegexSet::kEmpty, a), a);
  EXPECT_EQ(r.concat(a, RegexSet::kNothing), RegexSet::kNothing);
  EXPECT_EQ(r.either({a, RegexSet::kNothing}), a);
  EXPECT_EQ(r.either({}), RegexSet::kNothing);
  EXPECT_EQ(r.either({a, RegexSet::kAnything}), RegexSet::kAnything);
  EXPECT_EQ(r.both({a, RegexSet::kAnything}), a);
  EXPECT_EQ(r.both({}), RegexSet::kAnything);
  EXPECT_EQ(r.both({a, RegexSet::kNothing}), RegexSet::kNothing);
  EXPECT_EQ(r.both({r.literal("ab"), r.negation(r.literal("ab"))}), RegexSet::kNothing);
  EXPECT_EQ(r.negation(r.negation(a)), a);
  EXPECT_EQ(r.negation(RegexSet::kNothing), RegexSet::kAnything);
}

TEST_F(RegexTest, RepetitionsWithoutMeaningAreLeftOut) {
  EXPECT_EQ(r.repeat(a, 1, 1), a);
  EXPECT_EQ(r.repeat(a, 0, 0), RegexSet::kEmpty);
  EXPECT_EQ(r.repeat(RegexSet::kNothing, 0, 3), RegexSet::kEmpty);
  EXPECT_EQ(r.repeat(RegexSet::kNothing, 1, 3), RegexSet::kNothing);
  EXPECT_EQ(r.repeat(RegexSet::kEmpty, 2, 3), RegexSet::kEmpty);
  const RegexId star = r.repeat(a, 0, RegexSet::kNoLimit);
  EXPECT_EQ(r.repeat(star, 2, 5), star);
  EXPECT_EQ(r.optional(a), r.repeat(a, 0, 1));
}

TEST_F(RegexTest, TheEmptyTextIsKnownWithoutWalking) {
  std::mt19937 rng(20261101);
  for (int i = 0; i < 500; ++i) {
    const Expression one = random_expression(rng, 3, {});
    EXPECT_EQ(r.accepts(made(r, one)), matches(one, "")) << i;
  }
}

TEST_F(RegexTest, TagsTellWhichOfThemWasRead) {
  const RegexId all = r.either({r.concat(r.literal("ab"), r.tag(4)),
                                r.concat({a, r.optional(b), r.tag(2)}), r.concat(c, r.tag(7))});
  EXPECT_EQ(r.tags(all), std::vector<int>{});
  EXPECT_EQ(r.tags(r.derive(all, "a")), std::vector<int>{2});
  EXPECT_EQ(r.tags(r.derive(all, "ab")), (std::vector<int>{2, 4}));
  EXPECT_EQ(r.tags(r.derive(all, "c")), std::vector<int>{7});
  EXPECT_TRUE(r.is_tag(r.derive(all, "c")));
  EXPECT_FALSE(r.is_tag(r.derive(all, "a"))) << "b may follow";
  EXPECT_EQ(r.tags(r.derive(all, "x")), std::vector<int>{});
}

TEST_F(RegexTest, ATableIsAnAutomaton) {
  auto table = std::make_shared<RegexSet::Table>();
  table->columns = {ByteSet::of('a'), ByteSet::of('b'), ByteSet::of('c')};
  table->next = {1,  -1, -1,  // a, then as many b as there are, then c
                 -1, 1,  2,   //
                 -1, -1, -1};
  table->accepts = {false, false, true};
  const RegexId by_table = r.table(table, 0);
  const RegexId by_parts = r.concat({a, r.repeat(b, 0, RegexSet::kNoLimit), c});
  for (const std::string& text : texts_up_to(5))
    EXPECT_EQ(r.matches(by_table, text), r.matches(by_parts, text)) << text;
  EXPECT_EQ(r.table(table, 0), by_table);
  EXPECT_TRUE(r.is_empty(r.both({by_table, r.negation(by_parts)})));
  EXPECT_TRUE(r.is_empty(r.both({by_parts, r.negation(by_table)})));
}

TEST_F(RegexTest, SoManyNodesAndNoMore) {
  RegexSet few(100);
  EXPECT_EQ(error_of([&] { few.literal(std::string(200, 'a')); }),
            "it is too complex: simplify its patterns");
  EXPECT_LE(few.n_nodes(), 100U);
  EXPECT_TRUE(few.matches(few.literal("aaa"), "aaa")) << "what is there can be used";
}

// Each state of it is all of those before and one more.
TEST_F(RegexTest, SoManyPartsOfNodesAndNoMore) {
  RegexSet few(20'000);
  const RegexId letter = few.bytes(ByteSet::range('a', 'z'));
  const RegexId text = few.concat(
      {RegexSet::kAnything, few.repeat(letter, 2000, 2000), few.literal("."), RegexSet::kAnything});
  EXPECT_EQ(error_of([&] { few.derive(text, std::string(2000, 'a')); }),
            "it is too complex: simplify its patterns");
  EXPECT_GE(few.n_nodes(), 20'000U) << "whoever shares it has to see that it is full";
}

TEST_F(RegexTest, SetsOfBytes) {
  for (int first = 0; first < 256; first += 17) {
    const ByteSet set = ByteSet::range(static_cast<std::uint8_t>(first), 255);
    EXPECT_EQ(set.count(), 256 - first);
    EXPECT_EQ(set.first(), first);
    EXPECT_EQ((set | ~set).count(), 256);
    EXPECT_TRUE((set & ~set).is_empty());
  }
}

}  // namespace
}  // namespace confab::engine
