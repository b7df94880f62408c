// SPDX-License-Identifier: MIT
// What each keyword of objects says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

TEST(SchemaObjectsTest, PropertiesAndTheRest) {
  check_schema({R"({"type": "object", "properties": {"a": {"type": "integer"}}})",
                {"{}", R"({"a":1})", R"({"b":"x"})", R"({"a":1,"b":[]})"},
                {R"({"a":"x"})", R"({"a":1.5})", R"({"b":1,"a":null})"}});
  check_schema({R"({"type": "object", "properties": {"a": true}, "additionalProperties": false})",
                {"{}", R"({"a":[1]})"},
                {R"({"b":1})", R"({"a":1,"b":1})", R"({"A":1})", R"({"aa":1})"}});
  check_schema({R"({"type": "object", "properties": {"a": true, "ab": true},
             "additionalProperties": {"type": "null"}})",
                {R"({"a":1,"ab":2,"abc":null,"":null})"},
                {R"({"abc":1})", R"({"":0})"}});
  check_schema(
      {R"({"type": "object", "properties": {"é\"\n": {"const": 1}}, "additionalProperties": false})",
       {R"({"é\"\n":1})"},
       {R"({"\u00e9\"\n":1})", R"({"é":1})"}});
}

TEST(SchemaObjectsTest, WhatIsRequired) {
  check_schema({R"({"type": "object", "required": ["b", "a"]})",
                {R"({"a":1,"b":2})", R"({"b":1,"c":3,"a":2})"},
                {"{}", R"({"a":1})", R"({"b":1})"}});
  check_schema({R"({"type": "object", "properties": {"a": {"const": 1}}, "required": ["a", "b"],
             "additionalProperties": {"type": "null"}})",
                {R"({"a":1,"b":null})"},
                {R"({"a":1,"b":1})", R"({"a":1})"}});
  check_schema(
      {R"({"type": "object", "properties": {"a": {"required": true}}})", {"{}", R"({"a":1})"}, {}});
}

TEST(SchemaObjectsTest, Patterns) {
  check_schema(
      {R"({"type": "object", "patternProperties": {"^x": {"type": "integer"}, "y$": {"minimum": 5}},
             "additionalProperties": {"type": "null"}})",
       {R"({"x":1})", R"({"xy":5})", R"({"ay":"text"})", R"({"ay":5})", R"({"z":null})"},
       {R"({"x":"a"})", R"({"xy":4})", R"({"xy":"a"})", R"({"ay":4})", R"({"z":1})"}});
  check_schema({R"({"type": "object", "properties": {"xa": {"maximum": 3}},
             "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false})",
                {R"({"xa":3})", R"({"xb":9})"},
                {R"({"xa":9})", R"({"xa":"a"})", R"({"a":1})"}});
}

TEST(SchemaObjectsTest, Names) {
  check_schema({R"({"type": "object", "propertyNames": {"pattern": "^[a-z]{1,3}$"}})",
                {"{}", R"({"abc":1,"x":2})"},
                {R"({"abcd":1})", R"({"A":1})", R"({"":1})"}});
  check_schema({R"({"type": "object", "properties": {"ok": true, "toolong": true},
             "propertyNames": {"maxLength": 2}})",
                {R"({"ok":1})"},
                {R"({"toolong":1})"}});
  check_schema({R"({"type": "object", "propertyNames": {"enum": ["a", "b"]}})",
                {R"({"a":1})", R"({"b":1})"},
                {R"({"c":1})"}});
}

TEST(SchemaObjectsTest, Counts) {
  check_schema({R"({"type": "object", "maxProperties": 2})",
                {"{}", R"({"a":1,"b":2})"},
                {R"({"a":1,"b":2,"c":3})"}});
  check_schema(
      {R"({"type": "object", "minProperties": 1})", {R"({"a":1})", R"({"a":1,"b":2})"}, {"{}"}});
  check_schema({R"({"type": "object", "properties": {"a": true, "b": true, "c": true},
             "additionalProperties": false, "minProperties": 2})",
                {R"({"a":1,"c":2})", R"({"c":1,"b":2,"a":3})"},
                {"{}", R"({"b":1})"}});
  check_schema({R"({"type": "object", "required": ["a"], "maxProperties": 1})",
                {R"({"a":1})"},
                {"{}", R"({"b":1})", R"({"a":1,"b":1})", R"({"b":1,"a":1})"}});
}

TEST(SchemaObjectsTest, WhatDepends) {
  check_schema({R"({"type": "object", "dependentRequired": {"a": ["b", "c"]}})",
                {"{}", R"({"b":1})", R"({"c":1,"a":2,"b":3})"},
                {R"({"a":1})", R"({"a":1,"b":2})"}});
  check_schema(
      {R"({"type": "object", "dependentSchemas": {"a": {"properties": {"b": {"const": 1}}}}})",
       {R"({"b":2})", R"({"a":0,"b":1})", R"({"a":0})"},
       {R"({"a":0,"b":2})", R"({"b":2,"a":0})"}});
  check_schema(
      {R"({"dependencies": {"a": ["b"]}})", {"1", "{}", R"({"a":1,"b":2})"}, {R"({"a":1})"}});
  check_schema({R"({"type": "object", "dependencies": {"a": {"required": ["b"]}}})",
                {"{}", R"({"b":1,"a":1})"},
                {R"({"a":1})"}});
}

TEST(SchemaObjectsTest, CombinedObjects) {
  check_schema(
      {R"({"type": "object", "allOf": [{"properties": {"a": {"minimum": 1}}, "required": ["a"]},
             {"properties": {"a": {"maximum": 3}, "b": {"type": "null"}}}]})",
       {R"({"a":1})", R"({"b":null,"a":3})"},
       {"{}", R"({"a":4})", R"({"a":2,"b":1})"}});
  check_schema(
      {R"({"oneOf": [{"type": "object", "properties": {"k": {"const": "x"}, "n": {"type": "integer"}},
              "required": ["k", "n"]}, {"type": "object", "properties": {"k": {"const": "y"}},
              "required": ["k"], "additionalProperties": false}]})",
       {R"({"k":"x","n":1})", R"({"n":1,"k":"x"})", R"({"k":"y"})"},
       {R"({"k":"y","n":1})", R"({"k":"x"})", R"({"k":"z"})"}});
  check_schema(
      {R"({"type": "object", "not": {"required": ["a"]}})", {"{}", R"({"b":1})"}, {R"({"a":1})"}});
}

TEST(SchemaObjectsTest, TooManyPatternsAreRefused) {
  std::string schema = R"({"patternProperties": {"p": true)";
  for (char c = 'a'; c <= 'm'; ++c) schema += std::string(",\"^") + c + "\": true";
  EXPECT_EQ(fault_of(schema + "}}"), "schema: patternProperties has too many patterns");
}

}  // namespace
}  // namespace confab::engine
