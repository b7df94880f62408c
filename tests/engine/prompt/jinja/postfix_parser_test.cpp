// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/expression_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(PostfixParser, PrintsWhatJinja2Prints) {
  expect_jinja2_output("postfix_parser");
}

TEST(PostfixParser, RefusesWhatIsNoCall) {
  EXPECT_EQ(error_of("{{ f(a=1, 2) }}"), "line 1: positional argument follows keyword argument");
  EXPECT_EQ(error_of("{{ f(*a, *b) }}"), "line 1: a call can have only one *argument");
  EXPECT_EQ(error_of("{{ x[] }}"), "line 1: found ']', expected a subscript");
  EXPECT_EQ(error_of("{{ x| }}"), "line 1: found '}}', expected a name");
  EXPECT_EQ(error_of("{{ x is defined is none }}"), "line 1: tests cannot be chained with 'is'");
}

TEST(PostfixParser, BoundsChains) {
  std::string chain = "{{ x";
  for (int i = 0; i < 100'000; ++i) chain += ".a";
  EXPECT_EQ(error_of(chain + " }}"), "line 1: an expression has more than 256 levels");
}

}  // namespace
}  // namespace confab::engine::jinja
