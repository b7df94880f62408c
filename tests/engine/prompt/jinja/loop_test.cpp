// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

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
