// SPDX-License-Identifier: MIT
// From wherever an answer has come, the way out ends it in its shape.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
        const std::string rest = reader.machine.way_out(at);
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
    const std::string all = reader.machine.way_out(reader.machine.start());
    EXPECT_TRUE(reader.accepts(all)) << all;
  }
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
