// SPDX-License-Identifier: MIT
// Sets of values against what is said of each value by itself.
#include "engine/constrain/json/json_shape.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/constrain/json/json_grammar.h"
#include "engine/constrain/json/json_number.h"
#include "engine/constrain/json/json_text.h"
#include "engine/constrain/machine.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

const std::vector<std::string> kValues{"null",
                                       "true",
                                       "false",
                                       "0",
                                       "-1",
                                       "2.5",
                                       "7",
                                       R"("")",
                                       R"("a")",
                                       R"("ab")",
                                       R"("abc")",
                                       "[]",
                                       "[0]",
                                       "[7]",
                                       R"(["a"])",
                                       R"([7,"a"])",
                                       "[7,7]",
                                       "[null,7,true]",
                                       "[[7]]",
                                       "{}",
                                       R"({"a":0})",
                                       R"({"a":7})",
                                       R"({"b":7})",
                                       R"({"a":7,"b":"a"})",
                                       R"({"b":true,"a":0})",
                                       R"({"c":1})",
                                       R"({"a":{"a":7}})",
                                       R"({"a":0,"b":7,"c":null})"};

class JsonShapeTest : public testing::Test {
 protected:
  bool has(ShapeId id, const std::string& text) {
    JsonGrammar grammar(r, nullptr, shapes, id);
    Machine machine(grammar);
    return machine.advance(machine.start(), text).may_end;
  }
  std::vector<bool> members(ShapeId id) {
    std::vector<bool> all;
    for (const std::string& text : kValues) all.push_back(has(id, text));
    return all;
  }
  // Numbers from this one on, and strings of at least so many characters.
  ShapeId scalars(const char* least, int n_characters) {
    return shapes.add({.has_true = true,
                       .number = at_least(r, Decimal::parse(least), false),
                       .string = r.both({plain_string(r), string_of_length(r, n_characters, 2)})});
  }
  std::vector<ShapeId> base_shapes();

  RegexSet r;
  Shapes shapes{r};
};

std::vector<ShapeId> JsonShapeTest::base_shapes() {
  std::vector<ShapeId> all{Shapes::kAny, Shapes::kNever, scalars("1", 0), scalars("-5", 1)};
  const ShapeId seven = shapes.add({.number = equal_to(r, Decimal::parse("7"))});
  all.push_back(seven);
  all.push_back(shapes.add({.has_null = true, .arrays = {{.rest = all[2]}}}));
  all.push_back(shapes.add({.arrays = {{.rest = Shapes::kAny, .min = 1, .max = 2}}}));
  all.push_back(shapes.add({.arrays = {{.prefix = {seven}, .rest = Shapes::kAny}}}));
  all.push_back(shapes.add({.arrays = {{.rest = Shapes::kAny, .contains = {{seven}}}}}));
  const auto object = [&](std::vector<ObjectShape::Named> named, int min, int max) {
    ObjectShape one = shapes.any_object();
    one.named = std::move(named);
    one.min = min;
    one.max = max;
    all.push_back(shapes.add({.has_false = true, .objects = {std::move(one)}}));
  };
  object({{"a", seven, true}}, 0, RegexSet::kNoLimit);
  object({{"a", Shapes::kAny}, {"b", all[3], true}}, 0, RegexSet::kNoLimit);
  object({{"b", Shapes::kNever}}, 0, RegexSet::kNoLimit);
  object({{"a", Shapes::kAny}, {"b", Shapes::kAny}, {"c", Shapes::kAny}}, 1, RegexSet::kNoLimit);
  all.push_back(shapes.add({.has_null = true, .objects = {{.named = {{"a", all[2]}}}}}));
  return all;
}

// Any two of the shapes, and what was made of such before.
TEST_F(JsonShapeTest, CombinationsAreThoseOfTheirMembers) {
  std::mt19937 rng(20261123);
  std::vector<ShapeId> ids = base_shapes();
  std::vector<std::vector<bool>> of;
  for (const ShapeId id : ids) of.push_back(members(id));
  const std::size_t n_base = ids.size();
  for (int i = 0; i < 200; ++i) {
    // The second is one of those that were there first: what is made of them stays small.
    const std::size_t a = rng() % ids.size(), b = rng() % n_base;
    const unsigned op = static_cast<unsigned>(rng() % 3);
    ShapeId id = Shapes::kNever;
    std::vector<bool> want(kValues.size());
    for (std::size_t v = 0; v < kValues.size(); ++v)
      want[v] = op == 0 ? of[a][v] && of[b][v] : op == 1 ? of[a][v] || of[b][v] : !of[a][v];
    if (op == 0) id = shapes.both(ids[a], ids[b]);
    if (op == 1) id = shapes.either({ids[a], ids[b]});
    if (op == 2) id = shapes.negation(ids[a]);
    std::vector<bool> got;
    const std::string fault = error_of([&] { got = members(id); });
    if (!fault.empty()) {
      EXPECT_NE(fault.find("cannot be honoured"), std::string::npos) << fault;
      continue;
    }
    for (std::size_t v = 0; v < kValues.size(); ++v)
      ASSERT_EQ(got[v], want[v]) << kValues[v] << " op " << op << " of " << a << " and " << b;
    if (ids.size() < 60) {
      ids.push_back(id);
      of.push_back(want);
    }
  }
  EXPECT_GT(ids.size(), 50U);
}

TEST_F(JsonShapeTest, NothingIsLeftOfASetWithoutItself) {
  for (const ShapeId id : base_shapes()) {
    const ShapeId apart = shapes.both(id, shapes.negation(id));
    EXPECT_EQ(members(apart), std::vector<bool>(kValues.size())) << id;
    EXPECT_EQ(members(shapes.either({id, shapes.negation(id)})),
              std::vector<bool>(kValues.size(), true))
        << id;
  }
}

TEST_F(JsonShapeTest, SetsThatContainThemselves) {
  ShapeId list = Shapes::kNever, endless = Shapes::kNever;
  list = shapes.later([&] { return Shape{.arrays = {{.rest = list}}}; });
  endless = shapes.later([&] { return Shape{.arrays = {{.rest = endless, .min = 1}}}; });
  EXPECT_FALSE(shapes.is_never(list));
  EXPECT_TRUE(shapes.is_never(endless));
  EXPECT_TRUE(has(list, "[[],[[]]]"));
  EXPECT_FALSE(has(list, "[[1]]"));
  ShapeId itself = Shapes::kNever;
  itself = shapes.later([&] { return shapes.get(itself); });
  EXPECT_EQ(error_of([&] { shapes.get(itself); }), "schema: refers to itself without an end");
}

TEST_F(JsonShapeTest, TooManyAlternativesAreSaid) {
  std::vector<ShapeId> all;
  for (int n = 0; n < 200; ++n)
    all.push_back(shapes.add({.arrays = {{.rest = Shapes::kAny, .min = n, .max = n}}}));
  EXPECT_EQ(error_of([&] { shapes.get(shapes.either(all)); }), "schema: has too many alternatives");
}

TEST_F(JsonShapeTest, TheValueOfAKey) {
  const ShapeId one = shapes.add({.has_null = true}), two = shapes.add({.has_true = true});
  ObjectShape object{.named = {{"a", one}}, .others = {{string_literal(r, "b"), two}}};
  EXPECT_EQ(shapes.value_of(object, "a"), one);
  EXPECT_EQ(shapes.value_of(object, "b"), two);
  EXPECT_EQ(shapes.value_of(object, "c"), Shapes::kNever);
  EXPECT_EQ(shapes.value_of(shapes.any_object(), "c"), Shapes::kAny);
}

}  // namespace
}  // namespace confab::engine
