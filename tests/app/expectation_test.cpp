// SPDX-License-Identifier: MIT
#include "app/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = Expectation::Kind;

std::string fault(std::string_view text) {
  try {
    parse_expectation(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(ExpectationTest, AFormIsAWordWithItsDetail) {
  EXPECT_EQ(parse_expectation("list"), (Expectation{.kind = Kind::list}));
  EXPECT_EQ(parse_expectation("list:12"), (Expectation{.kind = Kind::list, .n = 12}));
  EXPECT_EQ(parse_expectation("code"), (Expectation{.kind = Kind::code}));
  EXPECT_EQ(parse_expectation("code:c++"), (Expectation{.kind = Kind::code, .language = "c++"}));
  EXPECT_EQ(parse_expectation("table:2"), (Expectation{.kind = Kind::table, .n = 2}));
  EXPECT_THAT(parse_expectation("table: name , net price").columns,
              ElementsAre("name", "net price"));
  EXPECT_THAT(parse_expectation("table:2024,2025").columns, ElementsAre("2024", "2025"));
  EXPECT_EQ(parse_expectation("json"), (Expectation{.kind = Kind::json}));
  EXPECT_FALSE(Expectation{}.is_wanted());
}

TEST(ExpectationTest, ItsNameIsWhatWasParsed) {
  for (const std::string text :
       {"list", "list:3", "code", "code:python", "table", "table:4", "table:name,price", "json"})
    EXPECT_EQ(name_of(parse_expectation(text)), text);
  EXPECT_EQ(name_of(Expectation{}), "");
}

TEST(ExpectationTest, AnythingElseIsRefusedInOneLine) {
  const std::string forms = ": give list[:N], code[:LANG], table[:COLUMNS] or json";
  for (const std::string text : {"", "lists", "List", "xml", ":3", "list 3"})
    EXPECT_EQ(fault(text), "'" + text + "' is not a form" + forms);
  for (const std::string detail : {"0", "-1", "3x", "1001", "99999999999999999999", "three"})
    EXPECT_EQ(fault("list:" + detail),
              "the length of a list must be a whole number from 1 to 1,000, not " + detail);
  EXPECT_THAT(fault("table:0"), HasSubstr("the number of columns must be"));
  for (const char* text : {"table:a,,b", "table:,", "table:a|b"})
    EXPECT_THAT(fault(text), StartsWith("the columns of a table must be")) << text;
  EXPECT_THAT(fault("code:c sharp"), HasSubstr("must be one word"));
  EXPECT_THAT(fault("json:object"), HasSubstr("json takes nothing after it"));
  for (const char* text : {"list:", "code: ", "table:", "json:"})
    EXPECT_THAT(fault(text), HasSubstr("has nothing after its colon")) << text;
}

TEST(ExpectationTest, TheQuestionSaysTheForm) {
  const auto asked = [](std::string_view form) {
    return asked_in_form("Which?", parse_expectation(form));
  };
  EXPECT_EQ(asked_in_form("Which?", {}), "Which?");
  EXPECT_EQ(
      asked("list:1"),
      "Which?\n\nAnswer with a list of exactly 1 item and nothing else: one item a line, each "
      "after \"- \".");
  EXPECT_THAT(asked("list"), HasSubstr("with a list and nothing else"));
  EXPECT_THAT(asked("code:python"), HasSubstr("the python code in one code block: a line "
                                              "```python before it"));
  EXPECT_THAT(asked("code"), HasSubstr("the code in one code block: a line ``` before it"));
  EXPECT_THAT(asked("table:3"), HasSubstr("table of exactly 3 columns and nothing else."));
  EXPECT_THAT(asked("table:a,b"), HasSubstr("these columns, in this order: a, b."));
  EXPECT_THAT(asked("json"), HasSubstr("with valid JSON and nothing else"));
}

TEST(ExpectationTest, AskedAgainItBeginsTheSameAndSaysWhatWasWrong) {
  const std::string asked = asked_in_form("Which?", parse_expectation("list:3"));
  const std::vector<std::string> faults{"it has 4 items, not 3", "it is not a list"};
  const std::string second = asked_again(asked, std::span(faults).first(1));
  const std::string third = asked_again(asked, faults);
  EXPECT_EQ(second, asked +
                        "\n\nAn earlier answer was refused: it has 4 items, not 3.\nAnswer again, "
                        "and keep exactly to the form that is asked for above.");
  EXPECT_THAT(third, StartsWith(second.substr(0, second.find("Answer again"))));
  EXPECT_THAT(third, HasSubstr("refused: it is not a list.\nAnswer again"));
}

}  // namespace
}  // namespace confab::app
