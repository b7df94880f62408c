// SPDX-License-Identifier: MIT
#include "engine/safetensors/json_file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/engine/error_of.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

TEST(JsonFileTest, ReadsAnObjectAndNothingElse) {
  const TempDir dir;
  EXPECT_EQ(read_json(dir.file("a.json", "{\"x\": 1}"))["x"], 1);
  for (const char* text : {"", "[1]", "{\"x\":"}) {
    const std::string path = dir.file("b.json", text);
    EXPECT_TRUE(error_of([&] { read_json(path); }).starts_with(path + ": is not an object of JSON"))
        << text;
  }
  const std::string none = (dir / "none.json").string();
  EXPECT_TRUE(error_of([&] { read_json(none); }).starts_with(none + ": cannot open"));
  EXPECT_TRUE(read_json_or_empty(none).empty());
}

// As Python writes it, and as an editor may save it.
TEST(JsonFileTest, NumbersThatAreNotFiniteAreAbsent) {
  const TempDir dir;
  const Json json =
      read_json(dir.file("a.json", "\xEF\xBB\xBF{\"a\": NaN, \"b\": -Infinity, \"c\": 1}"));
  const JsonFields fields("a.json", json);
  EXPECT_EQ(fields.find_number("a"), std::nullopt);
  EXPECT_EQ(fields.find_int("b"), std::nullopt);
  EXPECT_EQ(fields.find_int("c"), 1);
}

TEST(JsonFileTest, WhatIsTooMuchIsRefusedInOneLine) {
  const TempDir dir;
  const std::string brackets(200'000, '[');
  std::string many = "{\"a\": [0";
  for (int i = 0; i < 100; ++i) many += ",0";
  many += "]}";
  for (const auto& [name, text] :
       {std::pair("deep.json", "{\"a\": " + brackets), std::pair("many.json", many)}) {
    const std::string path = dir.file(name, text);
    const std::string error = error_of([&] { read_json(path, 100); });
    EXPECT_TRUE(error.starts_with(path + ": is not an object of JSON: ")) << error;
    EXPECT_LT(error.size(), path.size() + 200);
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  const Json json{{"n", std::string(300'000, 'x')}};
  EXPECT_LT(error_of([&] { JsonFields("c.json", json).find_int("n"); }).size(), 200U);
}

TEST(JsonFileTest, FieldsHaveTheirKindOrAreErrors) {
  const Json json = {{"n", 7},      {"x", 0.5},      {"yes", true},
                     {"text", "a"}, {"no", nullptr}, {"o", {{"n", 0}}}};
  const JsonFields fields("c.json", json);
  EXPECT_EQ(fields.find_int("n"), 7);
  EXPECT_EQ(fields.find_number("x"), 0.5);
  EXPECT_EQ(fields.find_number("n"), 7);
  EXPECT_EQ(fields.find_flag("yes"), true);
  EXPECT_EQ(fields.find_text("text"), "a");
  EXPECT_EQ(fields.count("n"), 7U);
  EXPECT_EQ(fields.find_int("no"), std::nullopt);
  EXPECT_FALSE(fields.find_object("nothing").has_value());
  EXPECT_EQ(error_of([&] { fields.find_int("x"); }),
            "c.json: \"x\" is 0.5, expected a whole number");
  EXPECT_EQ(error_of([&] { fields.find_text("n"); }), "c.json: \"n\" is 7, expected a text");
  EXPECT_EQ(error_of([&] { fields.find_flag("n"); }), "c.json: \"n\" is 7, expected true or false");
  EXPECT_EQ(error_of([&] { fields.find_number("yes"); }),
            "c.json: \"yes\" is true, expected a number");
  EXPECT_EQ(error_of([&] { fields.find_object("n"); }), "c.json: \"n\" is 7, expected an object");
  EXPECT_EQ(error_of([&] { fields.count("nothing"); }), "c.json: \"nothing\" is missing");
  EXPECT_EQ(error_of([&] { fields.count("n", 6); }), "c.json: \"n\" is 7, expected 1 to 6");
  EXPECT_EQ(error_of([&] { fields.find_object("o")->count("n"); }),
            "c.json: o: \"n\" is 0, expected 1 to 1073741824");
}

}  // namespace
}  // namespace confab::engine
