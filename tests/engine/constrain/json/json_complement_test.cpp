// SPDX-License-Identifier: MIT
// What is not in a set, of arrays and objects; tests/engine/constrain/json/json_shape_test.cpp has
// sets of all types.
#include <gtest/gtest.h>

#include "engine/constrain/json/json_shape.h"
#include "engine/constrain/json/json_text.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

class JsonComplementTest : public testing::Test {
 protected:
  const Shape& without(Shape shape) {
    return shapes.get(shapes.negation(shapes.add(std::move(shape))));
  }
  ObjectShape object(std::vector<ObjectShape::Named> named,
                     std::vector<ObjectShape::Others> others) {
    return {.named = std::move(named), .others = std::move(others)};
  }

  RegexSet r;
  Shapes shapes{r};
  const ShapeId null = shapes.add({.has_null = true});
  const RegexId every_key = shapes.any_object().others[0].keys;
};

TEST_F(JsonComplementTest, TheNegationOfASetIsTheSameEachTime) {
  EXPECT_EQ(shapes.negation(null), shapes.negation(null));
  EXPECT_EQ(shapes.negation(Shapes::kAny), Shapes::kNever);
}

TEST_F(JsonComplementTest, ArraysThatBreakOneRule) {
  const Shape& others = without({.arrays = {{.rest = Shapes::kAny, .min = 1, .max = 3}}});
  EXPECT_EQ(others.arrays, (std::vector<ArrayShape>{{.rest = Shapes::kAny, .max = 0},
                                                    {.rest = Shapes::kAny, .min = 4}}));
  EXPECT_EQ(without({.arrays = {{.rest = Shapes::kAny, .contains = {{null, 2, 3}}}}}).arrays,
            (std::vector<ArrayShape>{{.rest = Shapes::kAny, .contains = {{null, 0, 1}}},
                                     {.rest = Shapes::kAny, .contains = {{null, 4}}}}));
}

TEST_F(JsonComplementTest, ArraysWithOtherItemsBehindSome) {
  const Shape& others = without({.arrays = {{.prefix = {Shapes::kAny}, .rest = null}}});
  const ArrayShape::Contains later{shapes.negation(null), 1, RegexSet::kNoLimit, 1};
  EXPECT_EQ(others.arrays, (std::vector<ArrayShape>{{.rest = Shapes::kAny, .contains = {later}}}));
  const ArrayShape::Contains none{shapes.negation(null), 0, 0, 1};
  EXPECT_EQ(without(others).arrays,
            (std::vector<ArrayShape>{{.rest = Shapes::kAny, .contains = {none}}}));
}

// A key that is not allowed is one that the others must have, and the other way round.
TEST_F(JsonComplementTest, KeysThatAreNotAllowed) {
  const Shape& others = without({.objects = {object({{"a", Shapes::kAny}}, {})}});
  ASSERT_EQ(others.objects.size(), 1U);
  ASSERT_EQ(others.objects[0].some.size(), 1U);
  EXPECT_FALSE(shapes.has(others.objects[0].some[0], "a"));
  EXPECT_TRUE(shapes.has(others.objects[0].some[0], "b"));

  ObjectShape some = shapes.any_object();
  some.some = {string_literal(r, "k")};
  const Shape& none = without({.objects = {some}});
  ASSERT_EQ(none.objects.size(), 1U);
  EXPECT_EQ(shapes.value_of(none.objects[0], "k"), Shapes::kNever);
  EXPECT_EQ(shapes.value_of(none.objects[0], "a"), Shapes::kAny);
}

TEST_F(JsonComplementTest, ValuesOfOtherKeysCannotBeExcluded) {
  EXPECT_EQ(
      error_of([&] {
        without({.objects = {object({}, {{every_key, null}})}});
      }),
      "schema: not, oneOf or if excludes objects by values of keys without a name, which cannot "
      "be honoured");
}

}  // namespace
}  // namespace confab::engine
