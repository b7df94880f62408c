// SPDX-License-Identifier: MIT
#include "engine/jinja/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Loop, PrintsWhatJinja2Prints) {
  expect_jinja2_output("loop");
}

TEST(Loop, KnowsWhereItIs) {
  Loop loop({Value(std::int64_t{1}), Value(std::int64_t{2})});
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

}  // namespace
}  // namespace confab::engine::jinja
