// SPDX-License-Identifier: MIT
// From wherever an answer has come, the way out ends it in its shape.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/constrain/json/json_grammar.h"
#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

constexpr const char* kSchemas[] = {
    "{}",
    R"({"type": "object", "properties": {"a": {"type": "string", "minLength": 3},
        "b": {"type": "array", "items": {"enum": [10, 20]}, "minItems": 2}}, "required": ["a", "b"]})",
    R"({"type": "array", "prefixItems": [{"type": "null"}, {"const": "x"}], "items": {"type": "number"},
        "minItems": 4, "maxItems": 6})",
    R"({"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 3, "maxItems": 5})",
    R"({"type": "array", "contains": {"const": 1}, "items": {"type": "integer"}, "minItems": 3})",
    R"({"type": "array", "prefixItems": [{"const": 2}], "contains": {"const": 1}, "maxItems": 2})",
    R"({"type": "array", "maxItems": 1, "allOf": [{"contains": {"type": "integer"}},
        {"contains": {"minimum": 5, "type": "number"}}]})",
    R"({"type": "array", "not": {"prefixItems": [{}, {}], "items": {"type": "integer"}}})",
    R"({"type": "array", "uniqueItems": true, "minItems": 3, "items": {"enum": [1, 22, 333, "x"]}})",
    R"({"type": "object", "not": {"propertyNames": {"pattern": "^x"}}, "maxProperties": 2,
        "properties": {"y": {"type": "null"}, "xa": {"type": "integer"}}})",
    R"({"type": "object", "not": {"properties": {"": {}}, "additionalProperties": false}})",
    R"({"type": "object", "dependentRequired": {"a": ["b"]}, "maxProperties": 2, "minProperties": 1,
        "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}})",
    R"({"type": "object", "dependentRequired": {"a": ["b"], "b": ["c"]}, "maxProperties": 3,
        "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
        "additionalProperties": false})",
    R"({"type": "object", "patternProperties": {"^x[0-9]+$": {"minimum": 10, "type": "integer"}},
        "additionalProperties": false, "minProperties": 1})",
    R"({"type": "object", "properties": {"a": true, "b": true, "c": true}, "minProperties": 2,
        "additionalProperties": false})",
    R"({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "required": ["l", "r"],
        "properties": {"l": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]},
                       "r": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/tree"}]}}}}})",
    R"({"anyOf": [{"type": "string", "pattern": "^[a-f]{6}$"}, {"type": "integer", "minimum": 1000},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 1}]})",
};

TEST(JsonWaysOutTest, EveryWayOutLeadsToAnEnd) {
  for (const char* schema : kSchemas) {
    SCOPED_TRACE(schema);
    TextReader reader = read_schema(schema);
    std::mt19937 rng(20261123);
    for (int i = 0; i < 12; ++i)
      reader.random_text(rng, 40, [&](const Position& at, const std::string& text) {
        const std::string rest = reader.machine.way_out(at).value();
        const Position end = reader.machine.advance(at, rest);
        EXPECT_TRUE(end.may_end) << text << " | " << rest;
        // Digits may go on beyond a double.
        const bool is_long = text.size() > 30 && text.find_first_of("eE") != text.npos;
        EXPECT_TRUE(is_long || nlohmann::json::accept(text + rest)) << text << " | " << rest;
      });
  }
}

TEST(JsonWaysOutTest, SeveralThatMustBeContained) {
  for (const char* schema :
       {R"({"type": "array", "allOf": [{"contains": {"const": 1}}, {"contains": {"const": "x"}}]})",
        R"({"type": "array", "contains": {"const": 1}, "minContains": 2, "minItems": 3})"}) {
    SCOPED_TRACE(schema);
    TextReader reader = read_schema(schema);
    const std::string all = reader.machine.way_out(reader.machine.start()).value();
    EXPECT_TRUE(reader.accepts(all)) << all;
  }
}

// What has been written is not written again, even where any key may come.
TEST(JsonWaysOutTest, AKeyThatIsThereDoesNotComeAgain) {
  TextReader reader =
      read_schema(R"({"type": "object", "properties": {"": {"type": "null"}}, "minProperties": 2,
                      "required": [""], "additionalProperties": {"type": "null"}})");
  const std::string begun = R"({"":null)";
  const Position at = reader.machine.advance(reader.machine.start(), begun);
  const std::string rest = reader.machine.way_out(at).value();
  EXPECT_TRUE(reader.accepts(begun + rest)) << rest;
  EXPECT_EQ(nlohmann::json::parse(begun + rest).size(), 2U) << rest;
}

TEST(JsonWaysOutTest, WhereThereIsNoWayNoneIsGiven) {
  RegexSet r;
  Shapes shapes(r);
  const ShapeId never = shapes.add({.arrays = {{.rest = Shapes::kAny,
                                                .max = 1,
                                                .contains = {{shapes.add({.has_null = true})},
                                                             {shapes.add({.has_true = true})}}}}});
  JsonGrammar grammar(r, nullptr, shapes, never);
  EXPECT_EQ(grammar.way_out(grammar.start()), std::nullopt);
  Machine machine(grammar);
  EXPECT_EQ(machine.way_out(machine.start()), std::nullopt);
}

TEST(JsonWaysOutTest, TheShortestIsShort) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})",
       R"({"a":0})"},
      {R"({"type": "array", "items": {"const": true}, "minItems": 2})", "[true,true]"},
      {R"({"type": "string", "minLength": 2})", R"("00")"},
      {R"({"enum": ["long text", "short"]})", R"("short")"},
  };
  for (const auto& [schema, text] : cases) {
    TextReader reader = read_schema(schema);
    EXPECT_EQ(reader.machine.way_out(reader.machine.start()), text) << schema;
  }
}

}  // namespace
}  // namespace confab::engine
