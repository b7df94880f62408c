// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(Filters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("filters");
}

TEST(Filters, AreFoundByName) {
  EXPECT_TRUE(has_filter("tojson"));
  EXPECT_TRUE(has_filter("selectattr"));
  EXPECT_FALSE(has_filter("urlize"));
}

TEST(Filters, RefuseWrongArguments) {
  EXPECT_EQ(error_of("{{ 'a'|abs }}"), "line 1: bad operand type for abs(): 'str'");
  EXPECT_EQ(error_of("{{ 1|round(1, 'up') }}"),
            "line 1: round: method must be common, ceil or floor");
  EXPECT_EQ(error_of("{{ '1'|int(0, 99) }}"), "line 1: int: found a base outside 2 to 36");
  EXPECT_EQ(error_of("{{ [1]|tojson(indent=9999999) }}"),
            "line 1: tojson: expected a small indent");
  EXPECT_EQ(error_of("{{ [1]|tojson(separators=1) }}"), "line 1: 'int' object is not iterable");
}

TEST(Filters, FloatTakesWhatPythonTakes) {
  EXPECT_EQ(render("{{ ' 1.5\n'|float }} {{ '+2'|float }} {{ '-.5e1'|float }} {{ '1_0'|float }}"),
            "1.5 2.0 -5.0 10.0");
  EXPECT_EQ(render("{{ 'inf'|float }} {{ '1e-310'|float == 0 }}"), "inf False");
  for (const char* none : {"0x10", "1 2", "", "+", "+-1", "1.5x", "1e400", "- 1", "--1"})
    EXPECT_EQ(render(std::string("{{ '") + none + "'|float(7) }}"), "7") << none;
}

TEST(Filters, TojsonOfTypedTextIsMarkedAsAWhole) {
  EXPECT_THAT(typed_parts("a{{ {'k': messages[0].content}|tojson }}b", "x\"y"),
              testing::ElementsAre(R"({"k": "x\"y"})"));
}

TEST(Tests, PrintsWhatJinja2Prints) {
  expect_jinja2_output("tests");
}

TEST(Tests, RefuseOtherKinds) {
  EXPECT_EQ(error_of("{{ 'a' is even }}"), "line 1: test 'even': found str, expected int");
  EXPECT_EQ(error_of("{{ 1 is divisibleby 0 }}"), "line 1: division by zero");
  EXPECT_EQ(error_of("{{ 1 is defined(2) }}"),
            "line 1: a test: found 1 arguments, expected at most 0");
}

TEST(SelectionFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("selection_filters");
}

TEST(SelectionFilters, RefuseWhatNamesNothing) {
  EXPECT_EQ(error_of("{{ [1]|map('nope')|list }}"), "line 1: no filter 'nope'");
  EXPECT_EQ(error_of("{{ [1]|select('nope')|list }}"), "line 1: no test 'nope'");
  EXPECT_EQ(error_of("{{ [1]|map(1) }}"), "line 1: expected the name of a filter or test");
  EXPECT_EQ(error_of("{{ [1]|selectattr }}"), "line 1: expected the name of an attribute");
}

TEST(SelectionFilters, KeepMarks) {
  EXPECT_THAT(typed_parts("{{ messages|map(attribute='content')|join(', ') }}", "hi"),
              testing::ElementsAre("hi"));
}

}  // namespace
}  // namespace confab::engine::jinja
