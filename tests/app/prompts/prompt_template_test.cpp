// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = engine::ConstraintSpec::Kind;

ReadTemplate read(const std::string& source) {
  return read_template("mine", source, "/t/mine.toml");
}
std::string fault(const std::string& source) {
  const ReadTemplate out = read(source);
  return out.faults.empty() ? "none" : out.faults.front();
}

TEST(PromptTemplateTest, ReadsEveryKey) {
  const ReadTemplate out = read(R"(
description = "what it does"
instruction = """
Turn {{input}} into {{ to }}, {{tone}}.
"""
temperature = 0.25
predict = 40
thinking = false
reverse_prompt = ["END"]
model = "qwen3"
system = "Be brief."
ctx_size = 4096
overflow = "split"
json_schema = '{"type": "object"}'

[arguments]
to = { help = "the language" }
tone = "kindly"
)");
  ASSERT_THAT(out.faults, IsEmpty());
  const PromptTemplate& mine = out.read;
  EXPECT_EQ(mine.description, "what it does");
  std::vector<std::string> pieces;
  for (const TemplatePiece& piece : mine.instruction)
    pieces.push_back(piece.is_name ? "<" + piece.text + ">" : piece.text);
  EXPECT_THAT(pieces, ElementsAre("Turn ", "<input>", " into ", "<to>", ", ", "<tone>", "."));
  EXPECT_TRUE(mine.has_input());
  ASSERT_EQ(mine.arguments.size(), 2U);
  EXPECT_EQ(mine.arguments[0].help, "the language");
  EXPECT_EQ(mine.arguments[0].by_default, std::nullopt);
  EXPECT_EQ(mine.arguments[1].by_default, "kindly");
  EXPECT_EQ(mine.settings.size(), 7U);
  EXPECT_EQ(mine.settings[0].option->key, "temperature");
  EXPECT_EQ(mine.overflow, Overflow::split);
  EXPECT_EQ(mine.shape.kind, Kind::json_schema);
  EXPECT_FALSE(mine.is_built_in());
}

TEST(PromptTemplateTest, NumbersAreArgumentsWithoutBeingDeclared) {
  const PromptTemplate mine = read("instruction = 'From {{1}} to {{2}}, really {{1}}.'").read;
  ASSERT_EQ(mine.arguments.size(), 2U);
  EXPECT_EQ(mine.arguments[1].name, "2");
  EXPECT_FALSE(mine.has_input());
}

TEST(PromptTemplateTest, BracesAroundAnythingElseAreText) {
  const PromptTemplate mine =
      read("instruction = 'Keep {{ this text }}, {{}} and {{X}} and {{.'").read;
  ASSERT_EQ(mine.instruction.size(), 1U);
  EXPECT_EQ(mine.instruction[0].text, "Keep {{ this text }}, {{}} and {{X}} and {{.");
}

TEST(PromptTemplateTest, EachFaultIsALineWithItsPlace) {
  EXPECT_EQ(fault("description = 'a'\ntemprature = 1\n"),
            "/t/mine.toml:2: no key 'temprature'; did you mean temperature?");
  EXPECT_THAT(fault("theme = 'dark'"), HasSubstr("theme cannot be set by a template"));
  EXPECT_THAT(fault("zzzzzz = 1"), HasSubstr("confab templates review shows a template"));
  EXPECT_THAT(fault("temperature = 'hot'"), HasSubstr(":1: temperature must be a number"));
  EXPECT_THAT(fault("temperature = -3"), HasSubstr("temperature must be a number from 0 to 100"));
  EXPECT_THAT(fault("description = 1"), HasSubstr("description must be a string, in quotes"));
  EXPECT_THAT(fault("overflow = 'cut'"), HasSubstr("error, split or truncate, not cut"));
  EXPECT_THAT(fault("a = = b"), HasSubstr("/t/mine.toml:1: "));
  EXPECT_THAT(fault("\n\ninstruction = 'To {{where}}.'"),
              HasSubstr(":3: no argument 'where' for {{where}}; declare it below [arguments]"));
  EXPECT_THAT(fault("arguments = 1"), HasSubstr("arguments must be a table"));
  EXPECT_THAT(fault("[arguments]\ninput = 'x'"), HasSubstr("'input' needs another name"));
  EXPECT_THAT(fault("[arguments]\nto = 3"), HasSubstr("the argument to must be \"DEFAULT\""));
  EXPECT_THAT(fault("[arguments]\nto = { hlp = 'x' }"), HasSubstr("no key 'hlp' of an argument"));
  EXPECT_THAT(fault("[arguments]\nto = { help = 1 }"), HasSubstr("help of to must be a string"));
}

TEST(PromptTemplateTest, AShapeIsCheckedWhenItIsRead) {
  EXPECT_THAT(fault("json_schema = '{'"), HasSubstr("/t/mine.toml:1: json_schema: "));
  EXPECT_THAT(fault("regex = '('"), HasSubstr("regex: "));
  EXPECT_THAT(fault("regex = 'a'\ngrammar = 'root ::= \"a\"'"),
              HasSubstr(":2: grammar cannot be used with another shape"));
  EXPECT_THAT(fault("json_schema_file = 'none.json'"), HasSubstr("none.json cannot be read"));
}

TEST(PromptTemplateTest, WhatAnAnswerIsCheckedForIsReadAsByTheFlag) {
  EXPECT_EQ(name_of(read("expect = 'list:3'").read.expected), "list:3");
  EXPECT_THAT(fault("expect = 'lits'"), HasSubstr("/t/mine.toml:1: expect: "));
  EXPECT_THAT(fault("expect = 'json'\nregex = 'a'"), HasSubstr("expect cannot be used with"));
}

TEST(PromptTemplateTest, AShapesFileIsBesideTheTemplate) {
  const TempDir dir;
  dir.file("person.json", R"({"type": "object"})");
  const auto out = read_template("mine", "json_schema_file = 'person.json'", dir / "mine.toml");
  EXPECT_THAT(out.faults, IsEmpty());
  EXPECT_EQ(out.read.shape.text, R"({"type": "object"})");
}

}  // namespace
}  // namespace confab::app
