// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Evaluate, PrintsWhatJinja2Prints) {
  expect_jinja2_output("evaluate");
}

TEST(Evaluate, UndefinedFailsWhereItIsUsed) {
  EXPECT_EQ(error_of("{{ x.y }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ x + 1 }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ x() }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ -x }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ x < 1 }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ d.a.b }}", R"({"d": {}})"), "line 1: 'dict object' has no attribute 'a'");
  EXPECT_EQ(error_of("{{ none.split() }}"), "line 1: 'None' has no attribute 'split'");
}

TEST(Evaluate, NamesUnknownFiltersAndTests) {
  EXPECT_EQ(error_of("{{ 1|nope }}"), "line 1: no filter 'nope'");
  EXPECT_EQ(error_of("{{ 1 is nope }}"), "line 1: no test 'nope'");
  EXPECT_EQ(render("{% if false %}{{ 1|nope }}{% endif %}"), "");
}

TEST(Evaluate, RefusesWhatChangesAList) {
  EXPECT_EQ(error_of("{{ l.append(1) }}", R"({"l": []})"),
            "line 1: access to attribute 'append' of 'list' object is unsafe.");
}

TEST(Evaluate, MarksSurviveConcatenation) {
  EXPECT_THAT(typed_parts("{{ '<a>' + messages[0].content + '<b>' ~ messages[0].content }}", "hi"),
              testing::ElementsAre("hi", "hi"));
  EXPECT_THAT(typed_parts("{{ messages[0]['content'] if messages else '' }}", "hi"),
              testing::ElementsAre("hi"));
  EXPECT_TRUE(
      typed_parts("{{ 'You are helpful.' }}{{ messages[0].content|length }}", "hi").empty());
}

}  // namespace
}  // namespace confab::engine::jinja
