// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_node.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

TEST(SchemaNodeTest, KeepsTheOrderOfNamesAndNumbersAsTheyAreWritten) {
  const SchemaNode node = SchemaNode::parse(
      R"({"b": 1.50, "a": [null, true, "x\u00e9", -0, 12345678901234567890123]})");
  EXPECT_EQ(node.names, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(node.find("b")->text, "1.50");
  const SchemaNode& list = *node.find("a");
  ASSERT_TRUE(list.is_list());
  ASSERT_EQ(list.items.size(), 5U);
  EXPECT_TRUE(list.items[0].is_null());
  EXPECT_TRUE(list.items[1].is_boolean() && list.items[1].truth);
  EXPECT_EQ(list.items[2].text, "x\u00e9");
  EXPECT_TRUE(list.items[3].is_number());
  EXPECT_EQ(list.items[4].text, "12345678901234567890123");
  EXPECT_EQ(node.find("c"), nullptr);
}

TEST(SchemaNodeTest, OfANameThatIsThereTwiceTheLastCounts) {
  const SchemaNode node = SchemaNode::parse(R"({"a": 1, "a": {"b": [{}, [2]]}})");
  EXPECT_EQ(node.find("a")->find("b")->items[1].items[0].text, "2");
  EXPECT_EQ(node.members().size(), 2U);
}

TEST(SchemaNodeTest, AValueAloneIsATree) {
  EXPECT_EQ(SchemaNode::parse("7").text, "7");
  EXPECT_TRUE(SchemaNode::parse("[]").is_list());
  EXPECT_TRUE(SchemaNode::parse(" {} ").is_object());
}

TEST(SchemaNodeTest, WhatIsNotJsonIsRefused) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "1 2", "\"\xff\""})
    EXPECT_TRUE(error_of([&] { SchemaNode::parse(text); }).starts_with("schema: column ")) << text;
  EXPECT_TRUE(error_of([] { SchemaNode::parse("1e999"); }).ends_with(": a number is too large"));
  EXPECT_EQ(error_of([] { SchemaNode::parse(std::string(300, '[')); }),
            "schema: column 101: nests deeper than 100 levels");
}

TEST(SchemaNodeTest, ManyNamesAreFoundAsFewAre) {
  std::string text = "{";
  for (int i = 0; i < 40; ++i)
    text += "\"n" + std::to_string(i % 20) + "\": " + std::to_string(i) + (i < 39 ? ", " : "}");
  const SchemaNode node = SchemaNode::parse(text);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(node.find("n" + std::to_string(i))->text, std::to_string(20 + i));
  EXPECT_EQ(node.find("n"), nullptr);
  EXPECT_EQ(node.find("z"), nullptr);
}

TEST(SchemaNodeTest, SoManyValuesAndNoMore) {
  std::string text = "[";
  for (int i = 0; i < 300'000; ++i) text += "[],";
  EXPECT_EQ(error_of([&] { SchemaNode::parse(text + "1]"); }),
            "schema: has more than 250000 values");
}

}  // namespace
}  // namespace confab::engine
