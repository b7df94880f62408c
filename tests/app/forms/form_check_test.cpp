// SPDX-License-Identifier: MIT
#include "app/forms/form_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string fault(std::string_view form, std::string_view answer) {
  return fault_of(answer, parse_expectation(form)).value_or("none");
}

TEST(FormCheckTest, AListMayHaveAnyMarks) {
  for (const char* answer :
       {"- a\n- b\n- c", "* a\n* b\n* c\n", "+ a\n+ b\n+ c", "1. a\n2. b\n3. c", "1) a\n2) b\n3) c",
        "- a\n\n- b\n\n- c", "\n\n- a\n- b\n- c\n\n", "- a\n* b\n+ c", "1. a\n1. b\n1. c",
        "- [ ] a\n- [x] b\n- [ ] c", "- a\r\n- b\r\n- c\r\n", "  - a\n  - b\n  - c"}) {
    EXPECT_EQ(fault("list:3", answer), "none") << answer;
    EXPECT_EQ(fault("list", answer), "none") << answer;
    EXPECT_EQ(fault("list:4", answer), "it has 3 items, not 4") << answer;
  }
  EXPECT_EQ(fault("list:2", "- a"), "it has 1 item, not 2");
  EXPECT_EQ(fault("list", "- a"), "none");
}

TEST(FormCheckTest, AListMayHaveALineAnItem) {
  for (const char* answer : {"a\nb\nc", "a\n\nb\n\nc\n", "\u2022 a\n\u2022 b\n\u2022 c"}) {
    EXPECT_EQ(fault("list:3", answer), "none") << answer;
    EXPECT_EQ(fault("list", answer), "none") << answer;
    EXPECT_EQ(fault("list:4", answer), "it has 3 lines, not 4") << answer;
  }
}

TEST(FormCheckTest, LinesOfProseAreNoItemsUnlessTheirNumberIsAsked) {
  const std::string prose = "The sky is blue.\nThe grass is green.";
  EXPECT_EQ(fault("list", prose), "it is text, not a list: \"The sky is blue.\"");
  EXPECT_EQ(fault("list:2", prose), "none");
  EXPECT_EQ(fault("list", "- The sky is blue.\n- The grass is green."), "none") << "marked";
  for (const char* answer : {"Rome was not built in a day, and so\nit is with this town.",
                             "Roses are red,\nviolets blue", "First we wait;\nthen we go",
                             "I know a few.\n\nShall I name them all?",
                             "**She said so.**\nHe did not.", "She said \"I am here.\"\nHe did not",
                             "\u6211\u4E0D \u77E5\u9053 \u3002\n\u662F \u7684 \u3002"})
    EXPECT_THAT(fault("list", answer), StartsWith("it is text, not a list")) << answer;
  for (const char* answer :
       {"Rome\nParis", "Red.\nGreen.\nBlue.", "Apple Inc.\nOrange Ltd.", "to go home\nto stay here",
        "What now?\nWhy?", "12.5\n13.5", "Dr. Smith of York\nMrs. Jones of Kent"})
    EXPECT_EQ(fault("list", answer), "none") << answer;
}

TEST(FormCheckTest, OnlyTheItemsOfTheListItselfCount) {
  EXPECT_EQ(fault("list:2", "- a\n  - b\n  - c\n- d"), "none");
  EXPECT_EQ(fault("list:2", "1. a\n   * b\n\n   more of a\n2. c\n   1. d"), "none");
  EXPECT_EQ(fault("list:2", "- ```\n  - no\n  - item\n  ```\n- b"), "none");
  EXPECT_EQ(fault("list:2", "- a\ngoes on\n- b"), "none");
}

TEST(FormCheckTest, NothingStandsBesideAList) {
  EXPECT_EQ(fault("list:2", "Here are two:\n\n- a\n- b"),
            "there is something beside the list: \"Here are two:\"");
  EXPECT_EQ(fault("list:2", "Here are two:\n- a\n- b"),
            "there is something beside the list: \"Here are two:\"");
  EXPECT_EQ(
      fault("list:2", "- a\n- b\n\nI hope that this helps you, and that you like it!"),
      "there is something beside the list: \"I hope that this helps you, and that yo\u2026\"");
  EXPECT_THAT(fault("list:2", "# Two\n- a\n- b"), HasSubstr("\"# Two\""));
  EXPECT_THAT(fault("list:2", "- a\n\n```\ncode\n```\n\n- b"), HasSubstr("beside the list"));
  EXPECT_THAT(fault("list:2", "1. a\n\nWhy a.\n\n2. b\n\nWhy b."), HasSubstr("\"Why a.\""));
  EXPECT_EQ(fault("list:3", "Here are two:\na\nb"),
            "there is something beside the list: \"Here are two:\"");
}

TEST(FormCheckTest, WhatIsNoListIsNone) {
  EXPECT_EQ(fault("list", "I cannot say."), "it is not a list");
  EXPECT_EQ(fault("list:3", "I cannot say."), "it is not a list");
  EXPECT_EQ(fault("list:1", "Rome"), "none");
  EXPECT_EQ(fault("list", "```\n- a\n- b\n```"), "it is not a list");
  EXPECT_EQ(fault("list", "> - a\n> - b"), "it is not a list");
  EXPECT_EQ(fault("list", "| a |\n|---|\n| b |"), "it is not a list");
  EXPECT_EQ(fault("list:3", "- a\n-\n- b"), "an item of it is empty");
  for (const char* form : {"list", "code", "table", "json"})
    for (const char* answer : {"", " \n\t\r\n"}) EXPECT_EQ(fault(form, answer), "it is empty");
}

TEST(FormCheckTest, CodeMayHaveTextAroundIt) {
  const std::string block = "Sure:\n\n```python\nprint(1)\n```\nDone.";
  EXPECT_EQ(fault("code", block), "none");
  EXPECT_EQ(fault("code:python", block), "none");
  EXPECT_EQ(fault("code:py", block), "none") << "by another name";
  EXPECT_EQ(fault("code:Python", block), "none");
  EXPECT_EQ(fault("code:rust", block), "it has no rust code block");
  EXPECT_EQ(fault("code:sh", "```python\na\n```\n~~~sh\nls\n~~~"), "none") << "the second one";
  EXPECT_EQ(fault("code", "1. so:\n   ```\n   x\n   ```"), "none") << "in a list";
  EXPECT_EQ(fault("code", "````md\n```\nx\n```\n````"), "none");
}

TEST(FormCheckTest, CodeIsClosedAndNotEmpty) {
  EXPECT_EQ(fault("code", "print(1)"), "it has no code block");
  EXPECT_EQ(fault("code", "`print(1)`"), "it has no code block");
  EXPECT_EQ(fault("code", "```python\nprint(1)"), "its code block is not closed");
  EXPECT_EQ(fault("code:md", "````md\n```\nx\n```\n"), "its md code block is not closed");
  EXPECT_EQ(fault("code:python", "```python\n \n```"), "its python code block is empty");
}

const std::string kTable = "| Name | Price |\n|:-----|------:|\n| a\\|b | 1 |\n| `c` | 2 |\n";

TEST(FormCheckTest, ATableHasItsColumns) {
  EXPECT_EQ(fault("table", kTable), "none");
  EXPECT_EQ(fault("table:2", kTable), "none");
  EXPECT_EQ(fault("table:3", kTable), "it has 2 columns, not 3");
  EXPECT_EQ(fault("table:name,price", kTable), "none") << "capital letters do not matter";
  EXPECT_EQ(fault("table:price,name", kTable), "its column 1 is \"Name\", not price");
  EXPECT_EQ(fault("table:name,price,size", kTable), "it has 2 columns, not 3");
  EXPECT_EQ(fault("table:name,net price", "| **Name** | `net price` |\n|-|-|\n| a | 1 |"), "none");
  EXPECT_EQ(fault("table:2", "a | b\n--- | ---\n1 | 2"), "none") << "no pipes at the edges";
  EXPECT_EQ(fault("table:1", "| a |\n|---|\n| |\n"), "none");
}

TEST(FormCheckTest, ATableIsWholeAndAlone) {
  EXPECT_EQ(fault("table", "a, b\n1, 2"), "it is not a table");
  EXPECT_EQ(fault("table", "| a | b |\n| 1 | 2 |"), "it is not a table") << "no delimiter row";
  EXPECT_EQ(fault("table", "```\n" + kTable + "```"), "it is not a table");
  EXPECT_EQ(fault("table", "| a | b |\n|---|---|\n"), "it has no rows below its header");
  EXPECT_EQ(fault("table", kTable + "| x |\n"), "row 3 of it has 1 cell, not 2");
  EXPECT_EQ(fault("table", kTable + "| x | y | z |\n"), "row 3 of it has 3 cells, not 2");
  EXPECT_EQ(fault("table", "Here:\n" + kTable), "there is something beside the table: \"Here:\"");
  EXPECT_EQ(fault("table", kTable + "\nThat is all."),
            "there is something beside the table: \"That is all.\"");
  EXPECT_THAT(fault("table", kTable + "That is all."), StartsWith("row 3 of it has 1 cell"));
  EXPECT_THAT(fault("table", kTable + "\n" + kTable), HasSubstr("beside the table: \"| Name |"));
}

TEST(FormCheckTest, JsonIsOneValueWithOrWithoutAFence) {
  for (const char* answer : {"{}", "[1, 2]", " {\"a\": {\"b\": [null, true]}}\n", "\"text\"", "12",
                             "```json\n{\"a\": 1}\n```", "```\n[1]\n```\n", "~~~json\n1\n~~~"})
    EXPECT_EQ(fault("json", answer), "none") << answer;
  EXPECT_EQ(fault("json", std::string(100, '[') + std::string(100, ']')), "none");
  EXPECT_THAT(fault("json", std::string(100000, '[') + std::string(100000, ']')),
              StartsWith("it is not valid JSON"));
}

TEST(FormCheckTest, TheFaultOfJsonHasItsPlace) {
  EXPECT_EQ(fault("json", "{\"a\": 1"), "it is not valid JSON: it ends too early");
  EXPECT_EQ(fault("json", "```json\n{\"a\":\n```"), "it is not valid JSON: it ends too early");
  EXPECT_EQ(fault("json", "Sure!"), "it is not valid JSON: line 1 is wrong near \"Sure!\"");
  EXPECT_EQ(fault("json", "{\n  \"a\": 1,\n}"), "it is not valid JSON: line 3 is wrong near \"}\"");
  EXPECT_EQ(fault("json", "{\"name\": 'x'}"),
            "it is not valid JSON: line 1 is wrong near \"{\"name\": 'x'}\"");
  EXPECT_EQ(fault("json", "{} {}"), "it is not valid JSON: line 1 is wrong near \"{} {}\"");
  EXPECT_THAT(fault("json", "{}\n\nI hope it helps."), HasSubstr("line 3 is wrong near \"I hope"));
  EXPECT_THAT(fault("json", "Here:\n```json\n{}\n```"), HasSubstr("line 1"));
  EXPECT_THAT(fault("json", "```json\n{}\n```\nDone."), HasSubstr("not valid JSON"));
  EXPECT_THAT(fault("json", "```json\n{}\n```\n```json\n{}\n```"), HasSubstr("not valid JSON"));
  EXPECT_THAT(fault("json", "[\"\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4\xC3\xB6\xC3\xBC\" x]"),
              HasSubstr("near \"\xC3"))
      << "no half of a character";
  EXPECT_THAT(fault("json", "[\"a\nb\"]"), HasSubstr("line 1 is wrong near \"[\"a\""));
}

TEST(FormCheckTest, JsonIsReadWithoutItsFence) {
  const auto content = [](std::string_view answer, std::string_view form) {
    return std::string(content_of(answer, parse_expectation(form)));
  };
  EXPECT_EQ(content("\n```json\n{\"a\": 1,\n \"b\": 2}\n```\n", "json"), "{\"a\": 1,\n \"b\": 2}");
  EXPECT_EQ(content(" {}\n", "json"), "{}");
  EXPECT_EQ(content("\"```\"", "json"), "\"```\"");
  EXPECT_EQ(content("```sh\nls\n```\n", "code"), "```sh\nls\n```\n");
  EXPECT_EQ(content("- a\n", "list"), "- a\n");
}

TEST(FormCheckTest, WhatIsCutOffIsRefusedWhateverItHas) {
  const Expectation list = parse_expectation("list");
  EXPECT_EQ(fault_of("- a\n- b", list), std::nullopt);
  EXPECT_EQ(fault_of("- a\n- b", list, true), "it was too long, and so was cut off");
}

TEST(FormCheckTest, ARefusalNamesFormAttemptsAndTheLastFault) {
  const std::vector<std::string> faults{"it is empty", "it is not a list"};
  EXPECT_EQ(refusal_of(parse_expectation("list:3"), faults),
            "no answer has the form list:3 after 2 attempts; of the last one: it is not a list");
}

}  // namespace
}  // namespace confab::app
