// SPDX-License-Identifier: MIT
// How JSON texts are written: order, white space, and what may come when.
#include "engine/constrain/json/json_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

constexpr const char* kPerson = R"({"type": "object", "properties": {"name": {"type": "string"},
  "age": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
  "required": ["name", "age", "tags"], "additionalProperties": false})";

TEST(JsonGrammarTest, PropertiesComeInAnyOrder) {
  TextReader reader = read_schema(kPerson);
  std::vector<std::string> parts{R"("age":1)", R"("name":"x")", R"("tags":["a","b"])"};
  do {
    EXPECT_TRUE(reader.accepts("{" + parts[0] + "," + parts[1] + "," + parts[2] + "}"));
    EXPECT_FALSE(reader.accepts("{" + parts[0] + "," + parts[1] + "}"));
    for (const std::string& again : parts)
      EXPECT_FALSE(reader.begins("{" + parts[0] + "," + parts[1] + "," + parts[2] + "," + again));
    EXPECT_FALSE(reader.begins("{" + parts[0] + "," + parts[0]));
  } while (std::next_permutation(parts.begin(), parts.end()));
}

TEST(JsonGrammarTest, SpaceAsPeopleWriteIt) {
  TextReader reader = read_schema(kPerson);
  for (const int indent : {-1, 0, 1, 2, 4}) {
    const auto value = nlohmann::ordered_json::parse(R"({"name":"x","age":1,"tags":["a","b"]})");
    EXPECT_TRUE(reader.accepts(value.dump(indent))) << indent;
  }
  EXPECT_TRUE(reader.accepts("{ \"name\": \"x\", \"age\": 1, \"tags\": [ \"a\", \"b\" ] }"));
  EXPECT_TRUE(reader.accepts("{\r\n\t\"age\": 1,\r\n\t\"name\": \"\", \"tags\": []}"));
  for (const char* bad : {" {", "{  ", "{\n\n", "{\"age\" :", "{\"age\":  1", "{\"age\": 1  "})
    EXPECT_FALSE(reader.begins(bad)) << bad;
}

TEST(JsonGrammarTest, NothingComesAfterTheValue) {
  TextReader reader = read_schema(R"({"type": ["object", "array", "boolean"]})");
  for (const char* text : {"{}", "[]", "true", R"({"a":[1,{"b":null}]})"}) {
    const Position at = reader.machine.advance(reader.machine.start(), text);
    EXPECT_TRUE(at.may_end && at.readings.empty()) << text;
  }
}

TEST(JsonGrammarTest, AnyValueIsAnyJson) {
  TextReader reader = read_schema("{}");
  for (const char* text : {R"({"a": {"b": [1, 2.5e3, "x\u00e9\ud83d\ude00", null]}, "": false})",
                           "-0", "\"\"", "[[[[[[]]]]]]"})
    EXPECT_TRUE(reader.accepts(text)) << text;
  for (const char* text : {"", "{", "[1,]", "{\"a\":1,}", "nul", "'a'", "01", "{a:1}", "[1 2]"})
    EXPECT_FALSE(reader.accepts(text)) << text;
}

// A comma is followed by a key that may still come, and an object is closed when there is none.
TEST(JsonGrammarTest, NoCommaLeadsNowhere) {
  TextReader reader = read_schema(R"({"type": "object", "properties": {"a": true, "b": false},
                                      "additionalProperties": false})");
  EXPECT_FALSE(reader.begins(R"({"a":1,)"));
  EXPECT_FALSE(reader.begins(R"({"b)"));
  TextReader limited = read_schema(R"({"type": "object", "maxProperties": 1, "required": ["a"]})");
  EXPECT_FALSE(limited.begins(R"({"b)"));
  TextReader array = read_schema(R"({"type": "array", "maxItems": 2})");
  EXPECT_FALSE(array.begins("[1,2,"));
  EXPECT_FALSE(array.begins("[1,2, "));
}

// Of keys without a name only the first is sure to be another one, so that no text is invalid.
TEST(JsonGrammarTest, KeysThatMayBeTheSameAreNotCountedTwice) {
  TextReader reader = read_schema(R"({"type": "object", "minProperties": 1})");
  EXPECT_TRUE(reader.accepts(R"({"x":1})"));
  EXPECT_EQ(fault_of(R"({"type": "object", "minProperties": 2, "required": ["a"]})"), "");
  EXPECT_NE(fault_of(R"({"type": "object", "minProperties": 2})"), "");
}

// There is room for what has to come, and for nothing else.
TEST(JsonGrammarTest, KeysThatHaveToComeHaveRoom) {
  TextReader reader = read_schema(R"({"type": "object", "maxProperties": 2, "required": ["a"],
      "not": {"propertyNames": {"pattern": "^[a-w]"}}, "properties": {"xb": {"type": "null"}}})");
  EXPECT_TRUE(reader.accepts(R"({"a":1,"x":1})"));
  EXPECT_TRUE(reader.accepts(R"({"xb":null,"a":1})"));
  EXPECT_FALSE(reader.accepts(R"({"a":1})"));
  EXPECT_FALSE(reader.begins(R"({"a":1,"b)"));
  EXPECT_FALSE(reader.begins(R"({"x":1,"y)"));
  TextReader dependent = read_schema(R"({"type": "object", "maxProperties": 1,
      "dependentRequired": {"a": ["b"]}})");
  EXPECT_TRUE(dependent.accepts(R"({"b":1})"));
  EXPECT_FALSE(dependent.begins(R"({"a")"));
}

TEST(JsonGrammarTest, WhatIsContainedIsCounted) {
  TextReader reader = read_schema(R"({"type": "array", "items": {"enum": [1, 2, 3]},
    "allOf": [{"contains": {"const": 1}}, {"contains": {"enum": [1, 2]}, "minContains": 2}]})");
  std::mt19937 rng(4);
  for (int i = 0; i < 300; ++i) {
    std::vector<int> items;
    std::string text = "[";
    for (auto n = rng() % 5; n > 0; --n) {
      items.push_back(1 + static_cast<int>(rng() % 3));
      text += (text.size() > 1 ? "," : "") + std::to_string(items.back());
    }
    const auto n_ones = std::ranges::count(items, 1), n_twos = std::ranges::count(items, 2);
    EXPECT_EQ(reader.accepts(text + "]"), n_ones >= 1 && n_ones + n_twos >= 2) << text;
  }
}

}  // namespace
}  // namespace confab::engine
