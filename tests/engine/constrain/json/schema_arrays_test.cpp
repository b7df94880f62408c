// SPDX-License-Identifier: MIT
// What each keyword of arrays says.
#include <gtest/gtest.h>

#include "tests/engine/constrain/json/schema_cases.h"

namespace confab::engine {
namespace {

TEST(SchemaArraysTest, ItemsAndHowMany) {
  check_schema({R"({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3})",
                {"[1]", "[1, 2, 3]", "[\n  1\n]"},
                {"[]", "[1,2,3,4]", "[\"a\"]", "[1,]", "[,1]"}});
  check_schema(
      {R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "items": false})",
       {"[]", R"(["a"])", R"(["a",null])"},
       {"[1]", R"(["a",null,1])"}});
  check_schema(
      {R"({"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 2})",
       {"[1,2]", "[1,2,2,2]"},
       {"[1]", "[2,2]", "[1,1]"}});
  check_schema({R"({"type": "array", "items": [{"const": 1}], "additionalItems": {"const": 2}})",
                {"[]", "[1]", "[1,2,2]"},
                {"[2]", "[1,1]"}});
  check_schema(
      {R"({"type": "array", "contains": {"const": 1}})", {"[1]", "[2,1,3]"}, {"[]", "[2]"}});
  check_schema({R"({"type": "array", "items": {"enum": [1, 2]}, "contains": {"const": 1},
             "minContains": 2, "maxContains": 3})",
                {"[1,1]", "[1,2,1,2,1]"},
                {"[1]", "[1,1,1,1]", "[2,2]"}});
  check_schema(
      {R"({"type": "array", "contains": {"const": 1}, "minContains": 0})", {"[]", "[2]"}, {"1"}});
  check_schema(
      {R"({"type": "array", "maxItems": 1, "uniqueItems": true})", {"[]", "[1]"}, {"[1,2]"}});
  check_schema(
      {R"({"type": ["array", "null"], "minItems": 3, "maxItems": 2})", {"null"}, {"[]", "[1,2]"}});
}

TEST(SchemaArraysTest, ItemsBehindSomeThatAreExcluded) {
  check_schema(
      {R"({"type": "array", "not": {"prefixItems": [{}, {}], "items": {"type": "integer"}}})",
       {R"([1,2,"x"])", "[1,2,3,null,4]", R"(["x","x",1,1.5])"},
       {"[]", R"(["x","x"])", "[1,2,3]", R"(["x","x",3,4])"}});
}

// Each value once, where the schema names them all.
TEST(SchemaArraysTest, ItemsThatMustDiffer) {
  check_schema(
      {R"({"type": "array", "uniqueItems": true, "items": {"enum": ["a", 1, null, {"k": 1}]}})",
       {"[]", R"(["a"])", R"([null,1,"a"])", R"([{"k":1},"a"])"},
       {R"(["a","a"])", R"([1,"a",1])", "[1,1.0]", R"([{"k":1},{"k":1}])"}});
  check_schema(
      {R"({"type": "array", "uniqueItems": true, "minItems": 2, "items": {"type": "boolean"}})",
       {"[true,false]", "[false,true]"},
       {"[true]", "[true,true]", "[true,false,true]"}});
  check_schema({R"({"type": "array", "uniqueItems": true, "prefixItems": [{"type": "boolean"},
             {"type": "boolean"}, true], "items": false})",
                {"[true,false]", R"([true,false,"x"])", "[false]"},
                {"[true,true]", "[true,false,true]", "[true,false,1,2]"}});
  check_schema({R"({"type": "array", "uniqueItems": true, "items": {"anyOf": [{"$ref": "#/$defs/x"},
             {"const": "y"}]}, "$defs": {"x": {"enum": ["x", "z"]}}})",
                {R"(["x","y","z"])", R"(["z","y"])"},
                {R"(["y","y"])", R"(["z","x","z"])"}});
}

// A value that another place needs is not taken before.
TEST(SchemaArraysTest, ItemsThatMustDifferLeadToAnEnd) {
  TextReader reader = read_schema(R"({"type": "array", "uniqueItems": true, "minItems": 2,
      "prefixItems": [{"enum": ["a", "b"]}, {"const": "a"}], "items": false})");
  EXPECT_TRUE(reader.accepts(R"(["b","a"])"));
  EXPECT_FALSE(reader.begins(R"(["a)"));
  TextReader many = read_schema(R"({"type": "array", "uniqueItems": true, "minItems": 12,
      "items": {"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}})");
  EXPECT_TRUE(many.accepts(many.machine.way_out(many.machine.start()).value()));
}

TEST(SchemaArraysTest, OtherItemsThatMustDifferAreRefused) {
  const char* fault =
      "uniqueItems cannot be honoured unless the schema names all values of the items";
  for (const char* schema :
       {R"("uniqueItems": true)", R"("uniqueItems": true, "items": {"type": "string"})",
        R"("uniqueItems": true, "prefixItems": [{"const": 1}])",
        R"("uniqueItems": true, "items": {"anyOf": [{"const": 1}, {"type": "integer"}]})"})
    EXPECT_EQ(fault_of(std::string("{\"properties\": {\"a\": {") + schema + "}}}"),
              std::string("schema: at /properties/a: ") + fault)
        << schema;
}

}  // namespace
}  // namespace confab::engine
