// SPDX-License-Identifier: MIT
#include "app/cli/question_options.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using Kind = engine::ConstraintSpec::Kind;

std::string fault_of(const ShapeWords& words) {
  try {
    shape_of(words);
    return "";
  } catch (const UsageError& fault) {
    return fault.what();
  }
}

std::string written(const TempDir& dir, const char* name, const char* text) {
  const std::string path = (dir.path() / name).string();
  std::ofstream(path) << text;
  return path;
}

TEST(ShapeOptionsTest, WithoutAnyAnswersAreFree) {
  EXPECT_EQ(shape_of({}), engine::ConstraintSpec());
}

TEST(ShapeOptionsTest, EachIsOfItsKind) {
  const TempDir dir;
  EXPECT_EQ(shape_of({.schema = "{}"}).kind, Kind::json_schema);
  EXPECT_EQ(shape_of({.grammar = "root ::= \"a\""}).kind, Kind::gbnf);
  EXPECT_EQ(shape_of({.pattern = "a+"}).kind, Kind::pattern);
  const auto schema = shape_of({.schema_file = written(dir, "s.json", "{\"type\": \"null\"}")});
  EXPECT_EQ(schema.kind, Kind::json_schema);
  EXPECT_EQ(schema.text, "{\"type\": \"null\"}");
  const auto grammar = shape_of({.grammar_file = written(dir, "g.gbnf", "root ::= \"b\"\n")});
  EXPECT_EQ(grammar.kind, Kind::gbnf);
  EXPECT_EQ(grammar.text, "root ::= \"b\"\n");
}

TEST(ShapeOptionsTest, TwoOfThemAreRefused) {
  EXPECT_EQ(fault_of({.schema = "{}", .pattern = "a"}),
            "--json-schema and --regex cannot be used together: give one of them");
}

TEST(ShapeOptionsTest, AShapeMayStandBetweenMarkersOnly) {
  const auto shape = shape_of({.pattern = "a+", .markers = {"<a>", "</a>"}});
  EXPECT_EQ(shape.opening, "<a>");
  EXPECT_EQ(shape.closing, "</a>");
  EXPECT_EQ(fault_of({.markers = {"<a>", "</a>"}}),
            "--within needs a shape: add --json-schema, --grammar or --regex");
  EXPECT_EQ(fault_of({.pattern = "a", .markers = {"", "</a>"}}),
            "--within: a marker is empty; give two texts, such as '<call>' '</call>'");
}

TEST(ShapeOptionsTest, FaultsNameWhereTheyAreFrom) {
  const TempDir dir;
  EXPECT_TRUE(fault_of({.schema = "{"}).starts_with("--json-schema: schema: column 2: "));
  EXPECT_EQ(
      fault_of({.schema = R"({"properties": {"a": {"uniqueItems": true}}})"}),
      "--json-schema: schema: at /properties/a: uniqueItems cannot be honoured unless the schema "
      "names all values of the items");
  EXPECT_EQ(fault_of({.pattern = "a("}),
            "--regex: regular expression 'a(': at character 3: '(' without ')'");
  const std::string path = written(dir, "g.gbnf", "root ::= x\n");
  EXPECT_EQ(fault_of({.grammar_file = path}),
            path + ": grammar: line 1: there is no rule called 'x'");
  EXPECT_EQ(fault_of({.schema_file = "/nowhere/s.json"}),
            "/nowhere/s.json: No such file or directory");
  const std::string folder = dir.path().string();
  EXPECT_EQ(fault_of({.schema_file = folder}), folder + ": is a directory, not a file");
}

}  // namespace
}  // namespace confab::app
