// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(Globals, PrintsWhatJinja2Prints) {
  expect_jinja2_output("globals");
}

TEST(Globals, RaiseExceptionFailsWithItsMessage) {
  EXPECT_EQ(error_of("\n{{ raise_exception('roles must alternate') }}"),
            "line 2: roles must alternate");
  EXPECT_EQ(error_of("{{ raise_exception('two\\nlines') }}"), "line 1: two lines");
}

TEST(Globals, BoundRange) {
  EXPECT_EQ(render("{{ range(100000)|length }}"), "100000");
  EXPECT_EQ(error_of("{{ range(1000000000) }}"), "line 1: range: found more than 100000 numbers");
  EXPECT_EQ(render("{{ range(9223372036854775806, 9223372036854775807, 5)|list }}"),
            "[9223372036854775806]");
  EXPECT_EQ(error_of("{{ range(1, 2, 0) }}"), "line 1: range() arg 3 must not be zero");
}

TEST(Globals, RefuseWrongArguments) {
  EXPECT_EQ(error_of("{{ dict([1]) }}"), "line 1: 'int' object is not iterable");
  EXPECT_EQ(error_of("{{ cycler() }}"), "line 1: cycler: expected at least one item");
  EXPECT_THAT(error_of("{{ strftime_now('%Y' * 1000) }}"), testing::HasSubstr("longer than 1 KiB"));
}

TEST(Loop, PrintsWhatJinja2Prints) {
  expect_jinja2_output("loop");
}

TEST(Loop, KnowsWhereItIs) {
  Loop loop({Value(std::int64_t{1}), Value(std::int64_t{2})}, 0, {});
  EXPECT_TRUE(loop.advance());
  EXPECT_EQ(loop.item().integer(), 1);
  EXPECT_TRUE(loop.advance());
  EXPECT_EQ(loop.item().integer(), 2);
  EXPECT_FALSE(loop.advance());
}

TEST(Loop, RefusesAnEmptyCycle) {
  EXPECT_EQ(error_of("{% for x in [1] %}{{ loop.cycle() }}{% endfor %}"),
            "line 1: no items for cycling given");
}

TEST(Loop, BoundsRecursion) {
  EXPECT_EQ(error_of("{% for x in [1] %}{{ loop([1]) }}{% endfor %}"),
            "line 1: the loop must have the 'recursive' marker to be called recursively");
  EXPECT_EQ(error_of("{% for x in [1] recursive %}\n{{ loop([1]) }}{% endfor %}"),
            "line 2: a loop calls itself deeper than 64");
}

}  // namespace
}  // namespace confab::engine::jinja
