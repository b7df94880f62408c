// SPDX-License-Identifier: MIT
// Short texts where the automaton is too large for a search.
#include <gtest/gtest.h>

#include <map>

#include "engine/constrain/regex.h"
#include "tests/engine/constrain/random_expression.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

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
