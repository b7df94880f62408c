// SPDX-License-Identifier: MIT
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/constrain/json/json_number.h"
#include "engine/constrain/json/json_shape.h"
#include "engine/constrain/json/json_text.h"
#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

class JsonEmptinessTest : public testing::Test {
 protected:
  RegexSet r;
  Shapes shapes{r};
};

TEST_F(JsonEmptinessTest, EmptySetsAreKnown) {
  EXPECT_TRUE(shapes.is_never(Shapes::kNever));
  EXPECT_FALSE(shapes.is_never(Shapes::kAny));
  const ShapeId strings = shapes.add({.string = any_string(r)});
  const ShapeId numbers = shapes.add({.number = any_number(r)});
  const ShapeId none = shapes.both(strings, numbers);
  EXPECT_TRUE(shapes.is_never(none));
  EXPECT_TRUE(shapes.is_never(shapes.add({.arrays = {{.rest = none, .min = 1}}})));
  EXPECT_FALSE(shapes.is_never(shapes.add({.arrays = {{.rest = none}}})));
  EXPECT_FALSE(
      shapes.is_never(shapes.add({.arrays = {{.prefix = {numbers}, .rest = none, .min = 1}}})));
  ObjectShape object{.named = {{"a", none, true}}};
  EXPECT_TRUE(shapes.is_never(shapes.add({.objects = {object}})));
  object.named[0].is_required = false;
  EXPECT_FALSE(shapes.is_never(shapes.add({.objects = {object}})));
  object.min = 1;
  EXPECT_TRUE(shapes.is_never(shapes.add({.objects = {object}}))) << "no other keys";
}

TEST_F(JsonEmptinessTest, ArraysThatCannotContainSoManyAreEmpty) {
  const ShapeId strings = shapes.add({.string = any_string(r)});
  const auto is_never = [&](ShapeId rest, int min_items, int min, int max) {
    return shapes.is_never(shapes.add(
        {.arrays = {{.rest = rest, .min = min_items, .contains = {{strings, min, max}}}}}));
  };
  EXPECT_TRUE(is_never(Shapes::kAny, 0, 2, 1));
  EXPECT_FALSE(is_never(Shapes::kAny, 5, 2, 2)) << "the other three are none";
  EXPECT_TRUE(is_never(strings, 3, 1, 2)) << "all of them are";
  EXPECT_FALSE(is_never(strings, 2, 1, 2));
  ArrayShape two{
      .prefix = {strings, strings}, .rest = strings, .max = 2, .contains = {{strings, 3}}};
  EXPECT_TRUE(shapes.is_never(shapes.add({.arrays = {two}}))) << "there is room for two";
  two.contains[0].min = 2;
  EXPECT_FALSE(shapes.is_never(shapes.add({.arrays = {two}})));
  two.prefix[0] = shapes.add({.number = any_number(r)});
  EXPECT_TRUE(shapes.is_never(shapes.add({.arrays = {two}}))) << "the first one is none";
}

// Against trying all values; 0 stands for what has no name.
bool has_distinct(const std::vector<std::vector<int>>& items, std::vector<int> taken = {}) {
  if (taken.size() == items.size()) return true;
  for (const int value : items[taken.size()]) {
    if (value != 0 && std::ranges::find(taken, value) != taken.end()) continue;
    taken.push_back(value);
    if (has_distinct(items, taken)) return true;
    taken.pop_back();
  }
  return false;
}

TEST(JsonEmptinessOfArraysTest, ItemsThatDifferNeedAPlaceEach) {
  std::mt19937 rng(20261126);
  int n_empty = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t n_prefix = rng() % 4, n = rng() % 6, free = rng() % 6;
    std::vector<std::vector<int>> items;
    std::string prefix, rest;
    for (std::size_t at = 0; at <= std::max(n, n_prefix); ++at) {
      std::string schema = "{}";
      if (at > n_prefix) {
        items.push_back(items.back());
      } else if (at == free && at < n_prefix) {
        items.push_back({0});  // one of them may be anything
      } else {
        items.emplace_back();
        for (int value = 1; value < 5; ++value)
          if (rng() % 2 == 0) items.back().push_back(value);
        if (items.back().empty()) items.back().push_back(1);
        schema = fmt::format(R"({{"enum": [{}]}})", fmt::join(items.back(), ","));
      }
      if (at < n_prefix) prefix += (prefix.empty() ? "" : ",") + schema;
      if (at == n_prefix) rest = schema;
    }
    items.resize(n);
    const std::string array = fmt::format(
        R"({{"type": "array", "uniqueItems": true, "minItems": {}, "prefixItems": [{}], "items": {}}})",
        n, prefix, rest);
    const bool may_be = has_distinct(items);
    n_empty += !may_be;
    ASSERT_EQ(fault_of(array), may_be ? "" : "schema: no value is valid under it") << array;
  }
  EXPECT_GT(n_empty, 50);
  EXPECT_LT(n_empty, 350);
}

TEST_F(JsonEmptinessTest, ObjectsThatCannotHaveAKeyAreEmpty) {
  ObjectShape object = shapes.any_object();
  object.some = {string_literal(r, "a")};
  EXPECT_FALSE(shapes.is_never(object));
  object.named = {{"a", Shapes::kNever}};
  EXPECT_TRUE(shapes.is_never(object));
  object.some = {r.either({string_literal(r, "a"), string_literal(r, "b")})};
  EXPECT_FALSE(shapes.is_never(object));
  object.others.clear();
  EXPECT_TRUE(shapes.is_never(object));
}

// Where a set is asked about while it is worked out, it may have values; later it is known.
TEST_F(JsonEmptinessTest, SetsThatAskAboutThemselves) {
  ShapeId itself = Shapes::kNever;
  const ShapeId null = shapes.add({.has_null = true});
  const ShapeId part =
      shapes.later([&] { return shapes.intersect(shapes.get(itself), shapes.get(null)); });
  itself = shapes.later([&] {
    EXPECT_FALSE(shapes.is_never(part));
    return Shape{.has_true = true};
  });
  EXPECT_TRUE(shapes.get(itself).has_true);
  EXPECT_TRUE(shapes.is_never(part));
}

// Each asks about all others, which ask about each: by ways without number.
TEST_F(JsonEmptinessTest, SetsThatAllAskAboutEachOther) {
  constexpr int kSets = 40;
  std::vector<ShapeId> all;
  for (int i = 0; i < kSets; ++i)
    all.push_back(shapes.later([&] {
      Shape shape;
      for (const ShapeId other : all) shape.arrays.push_back({.rest = other, .min = 1});
      shape.arrays.push_back({.rest = Shapes::kAny});
      return shape;
    }));
  for (const ShapeId one : all) EXPECT_FALSE(shapes.is_never(one));
}

TEST_F(JsonEmptinessTest, ANameThatNeedsWhatCannotBeDoesNotCome) {
  check_schema({R"({"type":"object","dependentRequired":{"a":["b"]},"properties":{"b":false}})",
                {"{}", R"({"c":1})"},
                {R"({"a":1)", R"({"b":1)"}});
  check_schema({R"({"type":"object","dependentRequired":{"a":["b"],"b":["c"]},"maxProperties":2})",
                {"{}", R"({"b":1,"c":2})"},
                {R"({"a":1)"}});
}

TEST_F(JsonEmptinessTest, ObjectsWithoutRoomForWhatTheyMustHave) {
  const std::string none = "schema: no value is valid under it";
  const std::string depends = R"({"type":"object","dependentRequired":{"a":["b"]},)";
  EXPECT_EQ(fault_of(depends + R"("required":["a"],"maxProperties":1})"), none);
  EXPECT_EQ(fault_of(depends + R"("properties":{"a":{}},"additionalProperties":false,)"
                               R"("minProperties":1})"),
            none);
  EXPECT_EQ(fault_of(R"({"type":"object","minProperties":3,"maxProperties":2})"), none);
}

// One key may be what each of several parts asks for.
TEST_F(JsonEmptinessTest, KeysThatAreNeededBeyondTheNames) {
  ObjectShape object = shapes.any_object();
  object.some = {r.either({string_literal(r, "a"), string_literal(r, "b")}),
                 r.either({string_literal(r, "b"), string_literal(r, "c")})};
  object.max = 0;
  EXPECT_TRUE(shapes.is_never(object));
  object.max = 1;
  EXPECT_FALSE(shapes.is_never(object));
  object.some[1] = string_literal(r, "c");
  EXPECT_TRUE(shapes.is_never(object));
  object.named = {{"c", Shapes::kAny, true}};
  EXPECT_TRUE(shapes.is_never(object));
  object.max = 2;
  EXPECT_FALSE(shapes.is_never(object));
}

// Four keys are asked for, where there may be two: one of {1, 3}, {2, 3}, {2, 4, 5} and {1, 2, 5}.
TEST_F(JsonEmptinessTest, AsFewKeysAsDoWhatIsAskedFor) {
  const std::string rules = R"({"propertyNames":{"not":{"enum":["1","3"]}}},)"
                            R"({"propertyNames":{"not":{"enum":["2","3"]}}},)"
                            R"({"propertyNames":{"not":{"enum":["2","4","5"]}}},)"
                            R"({"propertyNames":{"not":{"enum":["1","2","5"]}}})";
  const auto schema = [&](int max) {
    return R"({"type":"object","not":{"anyOf":[)" + rules + R"(]},"maxProperties":)" +
           std::to_string(max) + "}";
  };
  check_schema({schema(2),
                {R"({"1":0,"2":0})", R"({"5":0,"3":0})", R"({"3":0,"2":0})"},
                {R"({"1":0,"3":0})", R"({"6":0,"3":0})", R"({"3":0})", R"({"1":0,"2":0,"4":0})"}});
  EXPECT_EQ(fault_of(schema(1)), "schema: no value is valid under it");
  TextReader reader = read_schema(schema(2));
  for (const std::string begun : {"{", R"({"5")", R"({"3":0)"}) {
    const std::string end =
        reader.machine.way_out(reader.machine.advance(reader.machine.start(), begun)).value();
    EXPECT_TRUE(reader.accepts(begun + end)) << begun << end;
  }
}

}  // namespace
}  // namespace confab::engine
