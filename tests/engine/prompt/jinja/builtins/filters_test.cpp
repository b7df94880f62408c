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
  EXPECT_EQ(error_of("{{ '1'|int(0, 99) }}"), "line 1: int: found a base that is not in 2 to 36");
  EXPECT_EQ(error_of("{{ [1]|tojson(indent=9999999) }}"),
            "line 1: tojson: expected a small indent");
  EXPECT_EQ(error_of("{{ [1]|tojson(separators=1) }}"), "line 1: 'int' object is not iterable");
}

TEST(Filters, TojsonOfTypedTextIsMarkedAsAWhole) {
  EXPECT_THAT(typed_parts("a{{ {'k': messages[0].content}|tojson }}b", "x\"y"),
              testing::ElementsAre(R"({"k": "x\"y"})"));
}

}  // namespace
}  // namespace confab::engine::jinja
