// SPDX-License-Identifier: MIT
#include "engine/constrain/json/evaluated.h"

#include <gtest/gtest.h>

#include "engine/constrain/json/json_text.h"

namespace confab::engine {
namespace {

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
