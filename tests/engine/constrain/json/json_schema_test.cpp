// SPDX-License-Identifier: MIT
// Texts of random schemas are valid under them, and values are accepted where they are valid.
#include "engine/constrain/json/json_schema.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/engine/constrain/json/schema_cases.h"
#include "tests/engine/constrain/json/schema_validator.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

TEST(JsonSchemaTest, WhatTheGrammarMakesIsValid) {
  std::mt19937 rng(20261123);
  int n_texts = 0;
  for (int i = 0; i < 150; ++i) {
    const Value schema = random_schema(rng, 2);
    const std::string text_of_schema = schema.dump();
    SCOPED_TRACE(text_of_schema);
    if (const std::string fault = fault_of(text_of_schema); !fault.empty()) {
      ASSERT_EQ(fault, "schema: no value is valid under it");
      continue;
    }
    TextReader reader = read_schema(text_of_schema);
    for (int n = 0; n < 4; ++n, ++n_texts) {
      const std::string text = reader.random_text(rng, 30, [](const auto&, const auto&) {});
      ASSERT_TRUE(reader.accepts(text)) << text;
      const Value value = Value::parse(text, nullptr, false);
      // Numbers may have an exponent that is beyond a double.
      ASSERT_TRUE(!value.is_discarded() || text.find_first_of("eE") != text.npos) << text;
      ASSERT_TRUE(value.is_discarded() || is_valid(schema, value)) << text;
    }
  }
  EXPECT_GT(n_texts, 200);
}

TEST(JsonSchemaTest, ValuesAreAcceptedWhereTheyAreValid) {
  std::mt19937 rng(20261124);
  int n_valid = 0;
  for (int i = 0; i < 250; ++i) {
    const Value schema = random_schema(rng, 2);
    const std::string text_of_schema = schema.dump();
    SCOPED_TRACE(text_of_schema);
    const bool is_refused = !fault_of(text_of_schema).empty();
    std::unique_ptr<TextReader> reader;
    if (!is_refused)
      reader = std::make_unique<TextReader>(
          [&](RegexSet& r) { return parse_json_schema(r, text_of_schema); });
    for (int n = 0; n < 60; ++n) {
      const Value value = random_value(rng, 2);
      const bool valid = is_valid(schema, value);
      n_valid += valid;
      ASSERT_EQ(reader && reader->accepts(value.dump()), valid) << value;
    }
  }
  EXPECT_GT(n_valid, 1000);
}

// What combinations of schemas leave unevaluated; few of them are refused.
TEST(JsonSchemaTest, WhatIsNotEvaluatedIsLimited) {
  std::mt19937 rng(20261125);
  int n_valid = 0, n_refused = 0;
  for (int i = 0; i < 400; ++i) {
    const Value schema = random_combination(rng, 2);
    const std::string text_of_schema = schema.dump();
    SCOPED_TRACE(text_of_schema);
    const std::string fault = fault_of(text_of_schema);
    const bool is_never = fault == "schema: no value is valid under it";
    if (!fault.empty() && !is_never) {
      EXPECT_TRUE(fault.find("excludes objects") != fault.npos ||
                  fault.find("too many alternatives") != fault.npos)
          << fault;
      ++n_refused;
      continue;
    }
    std::unique_ptr<TextReader> reader;
    if (!is_never)
      reader = std::make_unique<TextReader>(
          [&](RegexSet& r) { return parse_json_schema(r, text_of_schema); });
    for (int n = 0; n < 60; ++n) {
      Value value = random_value(rng, 2);
      for (int more = 0; more < 4 && !value.is_structured(); ++more) value = random_value(rng, 2);
      const bool valid = is_valid(schema, value);
      n_valid += valid;
      ASSERT_EQ(reader && reader->accepts(value.dump()), valid) << value;
    }
  }
  EXPECT_GT(n_valid, 1000);
  EXPECT_LT(n_refused, 120);
}

TEST(JsonSchemaTest, TheGrammarKeepsWhatItNeeds) {
  RegexSet regexes;
  std::unique_ptr<Grammar> grammar;
  {
    const std::string schema = R"({"type": "array", "items": {"$ref": "#/$defs/x"},
                                   "$defs": {"x": {"properties": {"y": {"type": "null"}}}}})";
    grammar = parse_json_schema(regexes, schema);
  }
  Machine machine(*grammar);
  EXPECT_TRUE(machine.advance(machine.start(), R"([{"y":null},1])").may_end);
  EXPECT_TRUE(machine.advance(machine.start(), R"([{"y":1})").is_dead());
}

// A schema in which each definition is made of the next one.
std::string chain(int n, const std::function<std::string(const std::string&)>& node) {
  const auto reference = [](int i) { return R"({"$ref": "#/$defs/)" + std::to_string(i) + "\"}"; };
  std::string text = R"({"$ref": "#/$defs/0", "$defs": {)";
  for (int i = 0; i < n; ++i)
    text += "\"" + std::to_string(i) + "\": " + node(reference(i + 1)) + ", ";
  return text + "\"" + std::to_string(n) + R"(": {"type": "integer"}}})";
}

TEST(JsonSchemaTest, ReferencesMayNotBeNestedVeryDeeply) {
  const std::function<std::string(const std::string&)> nodes[] = {
      [](const std::string& next) { return next; },
      [](const std::string& next) { return R"({"anyOf": [{"type": "null"}, )" + next + "]}"; },
      [](const std::string& next) { return R"({"allOf": [)" + next + "]}"; },
      [](const std::string& next) { return R"({"not": )" + next + "}"; },
      [](const std::string& next) {
        return R"({"type": "object", "properties": {"a": )" + next + R"(}, "required": ["a"]})";
      },
      [](const std::string& next) {
        return R"({"type": "array", "minItems": 1, "items": )" + next + "}";
      }};
  for (const auto& node : nodes) {
    RegexSet r;
    const std::string fault = error_of([&] { parse_json_schema(r, chain(20'000, node)); });
    EXPECT_NE(fault.find("nested too deeply"), fault.npos) << fault;
    EXPECT_LT(fault.size(), 200U);
    RegexSet other;
    EXPECT_EQ(error_of([&] { parse_json_schema(other, chain(20, node)); }), "");
  }
}

TEST(JsonSchemaTest, AShortestAnswerThatDoublesWithEachReferenceIsTooLong) {
  RegexSet r;
  const auto grammar = parse_json_schema(
      r, chain(60, [](const std::string& next) {
        return R"({"type": "object", "properties": {"a": )" + next + R"(, "b": )" + next +
               R"(}, "required": ["a", "b"], "additionalProperties": false})";
      }));
  EXPECT_EQ(error_of([&] { grammar->way_out(grammar->start()); }),
            "schema: the shortest valid answer is longer than 1 MiB");
}

}  // namespace
}  // namespace confab::engine
