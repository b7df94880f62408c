// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Operators, PrintsWhatJinja2Prints) {
  expect_jinja2_output("operators");
}

TEST(Operators, RefuseOtherKinds) {
  EXPECT_EQ(error_of("{{ 'a' + none }}"),
            "line 1: can only concatenate str (not \"NoneType\") to str");
  EXPECT_EQ(error_of("{{ 1 + 'a' }}"),
            "line 1: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_EQ(error_of("{{ 1 < 'a' }}"),
            "line 1: '<' not supported between instances of 'int' and 'str'");
  EXPECT_EQ(error_of("{{ 'x' in none }}"), "line 1: argument of type 'NoneType' is not iterable");
  EXPECT_EQ(error_of("{{ 1 in 'x' }}"),
            "line 1: 'in <string>' requires string as left operand, not int");
  EXPECT_EQ(error_of("{{ 1() }}"), "line 1: 'int' object is not callable");
}

TEST(Operators, RefuseWhatDoesNotFit) {
  EXPECT_EQ(error_of("{{ 9223372036854775807 + 1 }}"), "line 1: an integer does not fit 64 bits");
  EXPECT_EQ(error_of("{{ (-9223372036854775807 - 1) // -1 }}"),
            "line 1: an integer does not fit 64 bits");
  EXPECT_EQ(render("{{ (-9223372036854775807 - 1) % -1 }}"), "0");
  EXPECT_EQ(error_of("{{ 10 ** 99 }}"), "line 1: an integer does not fit 64 bits");
  EXPECT_EQ(error_of("{{ 1 / 0 }}"), "line 1: division by zero");
  EXPECT_EQ(error_of("{{ 1.5 % 0.0 }}"), "line 1: division by zero");
  EXPECT_EQ(error_of("{{ 'a' * 10 ** 9 }}"), "line 1: 1000000000 times is too long");
  EXPECT_EQ(error_of("{{ [1] * 10 ** 9 }}"), "line 1: 1000000000 times is too long");
  EXPECT_EQ(error_of("{{ 'abc'[::0] }}"), "line 1: slice step cannot be zero");
}

TEST(Operators, SlicesTakeAnyBounds) {
  EXPECT_EQ(render("{{ 'abc'[-9223372036854775807:9223372036854775807] }}"), "abc");
  EXPECT_EQ(render("{{ 'abc'[::9223372036854775807] }}"), "a");
  EXPECT_EQ(render("{{ [1, 2][::-9223372036854775807] }}"), "[2]");
}

TEST(Operators, MarksSurvive) {
  EXPECT_THAT(typed_parts("{{ messages[0].content[1:] }}|{{ messages[0].content[0] }}", "abc"),
              testing::ElementsAre("bc", "a"));
  EXPECT_THAT(typed_parts("{{ ('<' + messages[0].content + '>') * 2 }}", "a"),
              testing::ElementsAre("a", "a"));
  EXPECT_THAT(typed_parts("{{ messages[0].content[::-1] }}", "abc"), testing::ElementsAre("cba"));
}

}  // namespace
}  // namespace confab::engine::jinja
