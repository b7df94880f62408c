// SPDX-License-Identifier: MIT
#include "engine/constrain/json/alternatives.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

class AlternativesTest : public testing::Test {
 protected:
  static Alternative named(const std::string& name, Shape shape) {
    return {std::move(shape), {.names = {name}}};
  }

  RegexSet r;
  Shapes shapes{r};
  const Shape kTrue{.has_true = true};
  const Shape kBoth{.has_null = true, .has_true = true};
  const Shape kNull{.has_null = true};
};

TEST_F(AlternativesTest, WhatIsEvaluatedAlikeIsOnePart) {
  Alternatives all{named("a", kTrue)};
  unite(shapes, all, named("a", kNull));
  unite(shapes, all, Alternatives{named("b", kNull)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].shape.has_true && all[0].shape.has_null);
  const Shape together = whole(shapes, all);
  EXPECT_TRUE(together.has_true && together.has_null && !together.has_false);
  EXPECT_FALSE(whole(shapes, {}).has_null);
}

TEST_F(AlternativesTest, WhatIsInBothHasBeenEvaluatedByBoth) {
  Alternatives all{named("a", kBoth), named("b", kNull)};
  intersect(shapes, all, {named("c", kTrue), named("d", kNull)});
  ASSERT_EQ(all.size(), 3U) << "without those that no value is in";
  EXPECT_EQ(all[0].evaluated, (Evaluated{.names = {"a", "c"}}));
  EXPECT_EQ(all[2].evaluated, (Evaluated{.names = {"b", "d"}}));
}

TEST_F(AlternativesTest, SomeBranchesOrSeveral) {
  const Alternatives all =
      some_of(shapes, {{named("a", kBoth)}, {named("b", kNull)}, {named("c", kTrue)}, {{kTrue}}});
  std::vector<Evaluated> of;
  for (const Alternative& one : all) of.push_back(one.evaluated);
  EXPECT_EQ(of, (std::vector<Evaluated>{{.names = {"a"}},
                                        {.names = {"b"}},
                                        {.names = {"a", "b"}},
                                        {.names = {"c"}},
                                        {.names = {"a", "c"}},
                                        {}}));
  EXPECT_FALSE(all[2].shape.has_true);
  EXPECT_TRUE(some_of(shapes, {}).empty());
}

TEST_F(AlternativesTest, TooManyAreSaid) {
  Alternatives all;
  for (int i = 0; i < 64; ++i) unite(shapes, all, named(std::to_string(i), kTrue));
  EXPECT_EQ(error_of([&] { unite(shapes, all, named("more", kTrue)); }),
            "has too many alternatives for unevaluatedProperties or unevaluatedItems");
}

}  // namespace
}  // namespace confab::engine
