// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_reader.h"

#include <gtest/gtest.h>

#include "engine/constrain/json/json_text.h"
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

TEST(EvaluatedTest, TogetherTheyAreMore) {
  Evaluated a{.names = {"a"}, .n_items = 2};
  const Evaluated b{.names = {"b"}, .n_items = 1, .contained = {7}};
  EXPECT_FALSE(a.covers(b));
  a.add(b);
  EXPECT_TRUE(a.covers(b));
  EXPECT_EQ(a, (Evaluated{.names = {"a", "b"}, .n_items = 2, .contained = {7}}));
  a.add({.all_properties = true});
  EXPECT_EQ(a, (Evaluated{.all_properties = true, .n_items = 2, .contained = {7}}));
  EXPECT_TRUE(a.covers({.names = {"z"}})) << "all of them are";
  EXPECT_FALSE(a.covers({.all_items = true}));
  a.keep({.properties = false, .items = true});
  EXPECT_EQ(a, (Evaluated{.n_items = 2, .contained = {7}}));
  a.keep({});
  EXPECT_EQ(a, Evaluated{});
}

TEST(EvaluatedTest, WhatIsLeftIsLimited) {
  RegexSet r;
  Shapes shapes(r);
  const ShapeId null = shapes.add({.has_null = true}), one = shapes.add({.has_true = true});
  const Shape objects =
      unevaluated_properties(shapes, {.names = {"a"}, .keys = {string_literal(r, "k")}}, null);
  ASSERT_EQ(objects.objects.size(), 1U);
  EXPECT_TRUE(objects.has_true);
  EXPECT_EQ(shapes.value_of(objects.objects[0], "a"), Shapes::kAny);
  EXPECT_EQ(shapes.value_of(objects.objects[0], "k"), Shapes::kAny);
  EXPECT_EQ(shapes.value_of(objects.objects[0], "z"), null);
  const Shape none = unevaluated_properties(shapes, {}, Shapes::kNever);
  EXPECT_EQ(shapes.value_of(none.objects.at(0), "z"), Shapes::kNever);
  EXPECT_EQ(unevaluated_properties(shapes, {.all_properties = true}, null).objects,
            shapes.any().objects);

  const Shape arrays = unevaluated_items(shapes, {.n_items = 2, .contained = {one}}, null);
  ASSERT_EQ(arrays.arrays.size(), 1U);
  EXPECT_EQ(arrays.arrays[0].prefix, (std::vector<ShapeId>{Shapes::kAny, Shapes::kAny}));
  const Shape& rest = shapes.get(arrays.arrays[0].rest);
  EXPECT_TRUE(rest.has_null && rest.has_true && !rest.has_false);
  EXPECT_EQ(unevaluated_items(shapes, {.all_items = true}, null).arrays, shapes.any().arrays);
}

}  // namespace
}  // namespace confab::engine
