// SPDX-License-Identifier: MIT
// What each keyword that is not of objects says.
#include "engine/constrain/json/schema_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kEach{"null", "true", "false", "1", "1.5", R"("a")", "[]", "{}"};

// Which of one value of each kind are valid.
std::vector<std::string> valid(const std::string& schema) {
  TextReader reader = read_schema(schema);
  std::vector<std::string> all;
  for (const std::string& text : kEach)
    if (reader.accepts(text)) all.push_back(text);
  return all;
}

TEST(SchemaReaderTest, Types) {
  using List = std::vector<std::string>;
  EXPECT_EQ(valid("{}"), kEach);
  EXPECT_EQ(valid("true"), kEach);
  EXPECT_EQ(valid(R"({"type": "null"})"), List{"null"});
  EXPECT_EQ(valid(R"({"type": "boolean"})"), (List{"true", "false"}));
  EXPECT_EQ(valid(R"({"type": "integer"})"), List{"1"});
  EXPECT_EQ(valid(R"({"type": "number"})"), (List{"1", "1.5"}));
  EXPECT_EQ(valid(R"({"type": ["integer", "number"]})"), (List{"1", "1.5"}));
  EXPECT_EQ(valid(R"({"type": ["number", "integer"]})"), (List{"1", "1.5"}));
  EXPECT_EQ(valid(R"({"type": ["string", "array"]})"), (List{R"("a")", "[]"}));
  EXPECT_EQ(valid(R"({"type": "object"})"), List{"{}"});
  check_schema({R"({"type": "integer"})", {"0", "-7", "1.0"}, {"01", "1.5", "1e2", "-"}});
}

// A keyword says nothing of values that it is not about.
TEST(SchemaReaderTest, KeywordsAreOfTheirType) {
  for (const char* schema :
       {R"({"minimum": 0})", R"({"minLength": 0})", R"({"pattern": ""})", R"({"maxItems": 9})",
        R"({"properties": {"a": false}})", R"({"multipleOf": 0.5})", R"({"format": "regex"})",
        R"({"items": false})",
        R"({"title": "x", "description": "y", "default": 1, "$comment": ""})"})
    EXPECT_EQ(valid(schema), kEach) << schema;
  EXPECT_EQ(valid(R"({"minimum": 9})").size(), kEach.size() - 2);
}

TEST(SchemaReaderTest, Values) {
  check_schema({R"({"enum": ["a", "é\n", 1, 2.50, null, [1, {"b": true}]]})",
                {R"("a")", R"("é\n")", "1", "1.0", "2.5", "2.50", "null", R"([1,{"b":true}])"},
                {R"("b")", R"("\u0061")", "2", "true", "[1]", R"([1,{"b":true},1])", R"([1,{}])"}});
  check_schema({R"({"const": {"a": 1, "b": [2]}})",
                {R"({"a":1,"b":[2]})", R"({"b": [2], "a": 1})"},
                {R"({"a":1})", R"({"a":1,"b":[2],"c":3})", "{}"}});
  check_schema({R"({"enum": [1, 2, 3], "minimum": 2})", {"2", "3"}, {"1", "4"}});
}

TEST(SchemaReaderTest, Numbers) {
  check_schema({R"({"type": "number", "minimum": -1.5, "exclusiveMaximum": 10})",
                {"-1.5", "0", "9.999", "-0"},
                {"-1.51", "10", "10.0", "1e0", "100"}});
  check_schema({R"({"type": "integer", "exclusiveMinimum": 0, "maximum": 100})",
                {"1", "100", "100.0"},
                {"0", "101", "-1", "1.5"}});
  check_schema(
      {R"({"type": "number", "multipleOf": 0.01})", {"1", "0.01", "-3.250"}, {"0.001", "1e2"}});
  check_schema({R"({"type": "integer", "minimum": 1, "exclusiveMinimum": true})", {"2"}, {"1"}});
}

TEST(SchemaReaderTest, Strings) {
  check_schema({R"({"type": "string", "minLength": 2, "maxLength": 3})",
                {R"("ab")", "\"😀é\"", R"("\n\"x")"},
                {R"("a")", R"("abcd")", "1"}});
  check_schema({R"({"type": "string", "pattern": "^[a-z]+$", "maxLength": 2})",
                {R"("ab")"},
                {R"("")", R"("abc")", R"("A")"}});
  check_schema({R"({"type": "string", "format": "date"})",
                {R"("2024-02-29")"},
                {R"("2023-02-29")", R"("")"}});
  check_schema({R"({"type": "string", "format": "mine"})", {R"("x")"}, {"1"}});
  RegexSet r;
  const auto noted = parse_json_schema(r, R"({"type": "string", "format": "date"})", Formats::note);
  Machine machine(*noted);
  EXPECT_TRUE(machine.advance(machine.start(), R"("x")").may_end);
}

TEST(SchemaReaderTest, WhatCannotBeHonouredIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"items": {"$dynamicRef": "#x"}})",
       "schema: at /items: refers to '#x', which is not in the schema"},
      {R"({"properties": {"a": {"extends": {}}}})",
       "schema: at /properties/a: extends cannot be honoured"},
      {R"({"$ref": "#/$defs/x"})", "schema: refers to '#/$defs/x', which is not in the schema"},
      {R"({"$ref": "#"})", "schema: refers to itself without an end"},
      {R"({"anyOf": [{"$ref": "#"}]})", "refers to itself without an end"},
      {R"({"not": {"$ref": "#"}})", "refers to itself without an end"},
      {R"({"type": "text"})", "schema: type 'text' is not known"},
      {R"({"type": 1})", "schema: type '' is not known"},
      {R"({"minimum": "1"})", "schema: minimum must be a number"},
      {R"({"minLength": -1})", "schema: minLength must be a whole number from 0"},
      {R"({"maxItems": 1.5})", "schema: maxItems must be a whole number from 0"},
      {R"({"enum": {}})", "schema: enum must be a list"},
      {R"({"anyOf": {}})", "schema: anyOf must be a list"},
      {R"({"properties": []})", "schema: properties must be an object"},
      {R"({"required": "a"})", "schema: required must be a list of names"},
      {R"({"required": [1]})", "schema: required must be a list of names"},
      {R"({"properties": {"a/b": 1}})",
       "schema: at /properties/a~1b: must be an object, true or false"},
      {R"({"pattern": 1})", "schema: pattern must be a string"},
      {R"({"multipleOf": 0})", "schema: multipleOf must be greater than 0"},
      {R"({"items": {"pattern": "("}})", "schema: at /items: regular expression '('"},
      {R"({"items": {"type": "object", "minProperties": 2}})",
       "schema: at /items: minProperties cannot be honoured where properties have no name"},
      {R"({"items": {"allOf": [{"multipleOf": 3331}, {"multipleOf": 3329}]}})",
       "schema: at /items: multipleOf and other limits of numbers come to too many cases together"},
      {R"({"items": {"not": {"anyOf": [{"multipleOf": 3331}, {"multipleOf": 3329}]}}})",
       "schema: at /items: multipleOf and other limits of numbers come to too many cases together"},
      {R"({"items": {"minLength": 60000, "pattern": "^[a-z]*$"}})",
       "schema: at /items: it is too complex: simplify its patterns"},
      {R"({"minimum": 1, "maximum": 0, "type": "integer"})", "schema: no value is valid under it"},
      {"false", "schema: no value is valid under it"},
      {R"({"type": "object", "properties": {"a": false}, "required": ["a"]})",
       "schema: no value is valid under it"},
      {R"({"type": "array", "items": {"$ref": "#"}, "minItems": 1})",
       "schema: no value is valid under it"},
  };
  for (const auto& [schema, fault] : cases)
    EXPECT_THAT(fault_of(schema), HasSubstr(fault)) << schema;
}

TEST(SchemaReaderTest, MultiplesOfSeveralNumbersAtOnce) {
  check_schema({R"({"allOf": [{"multipleOf": 6}, {"multipleOf": 10}, {"not": {"multipleOf": 8}}]})",
                {"30", "60", "-90", "90.00", "210.0"},
                {"0", "15", "20", "120", "31", "30.5"}});
  check_schema(
      {R"({"oneOf": [{"multipleOf": 0.5}, {"multipleOf": 0.75}], "minimum": 1, "maximum": 5})",
       {"1", "2.5", "2.25", "5.0"},
       {"0.5", "1.5", "3", "1.25", "4.50", "5.25"}});
  check_schema({R"({"multipleOf": 1000, "minimum": 1000, "maximum": 10000000})",
                {"1000", "9999000", "10000000"},
                {"0", "1001", "10001000"}});
}

// What a draft does not have yet is an unknown word in it.
TEST(SchemaReaderTest, EachDraftHasItsKeywords) {
  const auto schema = [](const char* draft, const char* rest) {
    return std::string(R"({"$schema": "http://json-schema.org/)") + draft + R"(/schema#", )" +
           rest + "}";
  };
  const char* condition = R"("if": {"type": "integer"}, "then": {"minimum": 5})";
  check_schema({schema("draft-04", condition), {"4", "5"}, {}});
  check_schema({schema("draft-07", condition), {"5"}, {"4"}});
  const char* rest = R"("properties": {"a": {}}, "unevaluatedProperties": false)";
  check_schema({schema("draft-07", rest), {R"({"b":1})"}, {}});
  check_schema({schema("draft/2019-09", rest), {R"({"a":1})"}, {R"({"b":1})"}});
  check_schema({schema("draft-04", R"("type": "integer")"), {"12", "-1"}, {"12.0", "1.5"}});
  check_schema({schema("draft-04", R"("type": ["integer", "string"], "minimum": 2)"),
                {"12", "2", R"("")"},
                {"12.0", "1"}});
  check_schema({schema("draft-06", R"("type": "integer")"), {"12", "12.0"}, {"1.5"}});
}

// Keywords of no meaning for validity, and of no known meaning, say nothing.
TEST(SchemaReaderTest, UnknownKeywordsAreLeftAlone) {
  check_schema(
      {R"({"x-order": 1, "readOnly": true, "type": "null", "example": {"$ref": "nowhere"}})",
       {"null"},
       {"1"}});
}

}  // namespace
}  // namespace confab::engine
