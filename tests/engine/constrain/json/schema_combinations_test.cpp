// SPDX-License-Identifier: MIT
// What schemas about the same value say together.
#include <gtest/gtest.h>

#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

TEST(SchemaCombinationsTest, SetsOfSets) {
  check_schema({R"({"allOf": [{"minimum": 2}, {"maximum": 4}], "type": "integer"})",
                {"2", "4"},
                {"1", "5"}});
  check_schema({R"({"anyOf": [{"type": "null"}, {"const": 3}]})", {"null", "3"}, {"4", "true"}});
  check_schema({R"({"oneOf": [{"enum": [1, 2]}, {"enum": [2, 3]}, {"type": "null"}]})",
                {"1", "3", "null"},
                {"2", "4"}});
  check_schema({R"({"not": {"type": "string"}})", {"1", "null", "{}", "[]"}, {R"("a")"}});
  check_schema(
      {R"({"type": "string", "not": {"pattern": "a"}})", {R"("b")", R"("")"}, {R"("cab")"}});
  check_schema({R"({"not": {"const": 1}, "type": "integer"})", {"2", "-1", "11"}, {"1", "1.0"}});
  check_schema({R"({"type": "array", "not": {"items": {"type": "integer"}}})",
                {R"(["a"])", R"([1,null])"},
                {"[]", "[1]"}});
  check_schema({R"({"if": {"type": "integer"}, "then": {"minimum": 5}, "else": {"type": "null"}})",
                {"5", "null"},
                {"4", "true"}});
  check_schema({R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "type": "object"})",
                {"{}", R"({"b":1})", R"({"a":1,"b":1})"},
                {R"({"a":1})"}});
}

TEST(SchemaCombinationsTest, References) {
  check_schema({R"({"$ref": "#/$defs/list", "$defs": {"list": {"anyOf": [{"type": "null"},
             {"type": "array", "items": {"$ref": "#/$defs/list"}, "minItems": 1}]}}})",
                {"null", "[null]", "[[null,[null]]]"},
                {"[]", "[[]]", "1"}});
  check_schema({R"({"$ref": "#/$defs/n", "minimum": 2, "$defs": {"n": {"type": "integer"}}})",
                {"2"},
                {"1", "2.5"}});
  check_schema({R"({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/n",
             "minimum": 2, "definitions": {"n": {"type": "integer"}}})",
                {"1", "2"},
                {"2.5"}});
}

// Who is known to have a key, and which one it is not; but not what a key without a name has.
TEST(SchemaCombinationsTest, KeysThatHaveToBeThere) {
  check_schema(
      {R"({"type": "object", "not": {"properties": {"a": {}}, "additionalProperties": false}})",
       {R"({"b":1})", R"({"a":1,"b":1})", R"({"ab":null,"a":1})"},
       {"{}", R"({"a":1})"}});
  check_schema(
      {R"({"oneOf": [{"properties": {"a": {"type": "integer"}}, "additionalProperties": false},
             {"required": ["b"]}], "type": "object"})",
       {"{}", R"({"a":1})", R"({"b":1})", R"({"b":1,"a":1})", R"({"a":"x","b":1})"},
       {R"({"c":1})", R"({"a":"x"})"}});
  check_schema(
      {R"({"type": "object", "not": {"propertyNames": {"pattern": "^x"}}, "maxProperties": 2,
             "required": ["r"], "properties": {"y": {"type": "null"}}})",
       {R"({"r":1})", R"({"x":1,"r":2})"},
       {"{}", R"({"x":1})", R"({"x":1,"y":null,"r":1})", R"({"y":null})"}});
  EXPECT_EQ(fault_of(R"({"not": {"additionalProperties": {"type": "string"}}})"),
            "schema: not, oneOf or if excludes objects by values of keys without a name, which "
            "cannot be honoured");
}

// Where it is not yet known whether a set is empty, it may have values.
TEST(SchemaCombinationsTest, AlternativesThatContainThemselves) {
  check_schema({R"({"$ref": "#/$defs/part", "$defs": {"part": {"oneOf": [
             {"type": "object", "properties": {"kind": {"const": "leaf"}}, "required": ["kind"]},
             {"type": "object", "properties": {"kind": {"const": "node"}, "one": {"$ref": "#/$defs/part"}},
              "required": ["kind", "one"]}]}}})",
                {R"({"kind":"leaf"})", R"({"kind":"node","one":{"kind":"leaf"}})"},
                {R"({"kind":"node"})", R"({"kind":"node","one":{"kind":"other"}})"}});
}

TEST(SchemaCombinationsTest, PropertiesThatNoKeywordLookedAt) {
  check_schema({R"({"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}],
             "patternProperties": {"^x": {}}, "unevaluatedProperties": {"type": "null"}})",
                {"{}", R"({"a":1,"b":2,"x1":3,"c":null})"},
                {R"({"c":1})", R"({"a":1,"d":0})"}});
  check_schema(
      {R"({"type": "object", "anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]},
             {"properties": {"b": {}}, "required": ["b"]}], "unevaluatedProperties": false})",
       {R"({"a":1})", R"({"b":1})", R"({"b":0,"a":1})"},
       {"{}", R"({"a":2,"b":1})", R"({"a":1,"c":1})"}});
  check_schema({R"({"type": "object", "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
             "then": {"properties": {"a": {}}}, "else": {"properties": {"b": {}}},
             "unevaluatedProperties": false})",
                {R"({"k":1,"a":0})", R"({"b":0})", "{}"},
                {R"({"k":1,"b":0})", R"({"a":0})", R"({"k":2})"}});
  check_schema({R"({"type": "object", "allOf": [{"properties": {"a": {}}},
             {"properties": {"b": {}}, "unevaluatedProperties": false}]})",
                {R"({"b":1})"},
                {R"({"a":1})"}});
  check_schema({R"({"type": "object", "dependentSchemas": {"a": {"properties": {"a": {}, "b": {}}}},
             "not": {"required": ["z"]}, "unevaluatedProperties": false})",
                {R"({"a":1,"b":2})", "{}"},
                {R"({"b":2})", R"({"z":1})"}});
}

TEST(SchemaCombinationsTest, ItemsThatNoKeywordLookedAt) {
  check_schema(
      {R"({"type": "array", "prefixItems": [{"const": 1}], "allOf": [{"prefixItems": [{}, {}]}],
             "unevaluatedItems": {"type": "null"}})",
       {"[]", "[1,2]", "[1,2,null,null]"},
       {"[2]", "[1,2,3]"}});
  check_schema({R"({"type": "array", "oneOf": [{"contains": {"const": 1}}, {"minItems": 3}],
             "unevaluatedItems": {"const": 2}})",
                {"[1]", "[1,2]", "[2,2,2]", "[1,1]"},
                {"[]", "[1,3]", "[2,2]", "[1,2,2]"}});
  check_schema({R"({"type": "array", "anyOf": [{"items": {"type": "integer"}}, {"maxItems": 1}],
             "unevaluatedItems": false})",
                {"[]", "[1,2,3]"},
                {R"(["a"])", R"([1,"a"])"}});
  check_schema(
      {R"({"dependentSchemas": {"b": {"unevaluatedItems": true}}, "unevaluatedItems": false})",
       {"[]", R"({"b":1})", "1"},
       {"[1]"}});
  EXPECT_EQ(fault_of(R"({"$schema": "https://json-schema.org/draft/2019-09/schema",
                         "type": "array", "contains": {"const": 1},
                         "unevaluatedItems": {"type": "string"}})"),
            "schema: no value is valid under it")
      << "in that draft, what is contained has not been looked at";
}

TEST(SchemaCombinationsTest, TooManyAlternativesAreRefusedWithTheirPlace) {
  std::string schema = R"({"unevaluatedProperties": false, "anyOf": [)";
  for (char c = 'a'; c <= 'h'; ++c)
    schema += std::string(c == 'a' ? "" : ",") + "{\"properties\": {\"" + c + "\": {}}}";
  EXPECT_EQ(fault_of(R"({"items": )" + schema + "]}}"),
            "schema: at /items: has too many alternatives for unevaluatedProperties or "
            "unevaluatedItems");
  EXPECT_EQ(fault_of(R"({"unevaluatedItems": false, "allOf": [{"$ref": "#"}]})"),
            "schema: refers to itself without an end");
}

constexpr const char* kTree = R"({"$id": "https://example.org/strict", "$dynamicAnchor": "node",
    "$ref": "tree", "unevaluatedProperties": false, "$defs": {"tree": {"$id": "tree",
    "$dynamicAnchor": "node", "type": "object", "properties": {"data": true,
    "children": {"type": "array", "items": {"$dynamicRef": "#node"}}}}}})";

// What is meant is the outermost of that name.
TEST(SchemaCombinationsTest, ReferencesThatDependOnTheWay) {
  check_schema({kTree,
                {"{}", R"({"children":[{"data":1},{"children":[]}]})"},
                {R"({"x":1})", R"({"children":[{"x":1}]})"}});
  check_schema(
      {R"({"properties": {"a": {"$ref": "list"}, "b": {"$ref": "texts"}}, "$id": "urn:x:root/",
             "$defs": {"texts": {"$id": "texts", "$ref": "list",
                                 "$defs": {"i": {"$dynamicAnchor": "item", "type": "string"}}},
                       "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"},
                                "$defs": {"i": {"$dynamicAnchor": "item"}}}}})",
       {R"({"a":[1,"x"]})", R"({"b":["x"]})"},
       {R"({"b":[1]})"}});
  check_schema(
      {R"({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true,
             "$id": "http://example.org/strict", "$ref": "tree", "required": ["data"],
             "$defs": {"tree": {"$id": "tree", "$recursiveAnchor": true, "type": "object",
             "properties": {"child": {"$recursiveRef": "#"}}}}})",
       {R"({"data":1})", R"({"data":1,"child":{"data":2}})"},
       {"{}", R"({"data":1,"child":{}})"}});
}

}  // namespace
}  // namespace confab::engine
