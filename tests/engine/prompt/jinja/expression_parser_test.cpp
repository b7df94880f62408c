// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/expression_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(ExpressionParser, PrintsWhatJinja2Prints) {
  expect_jinja2_output("expression_parser");
}

TEST(ExpressionParser, RefusesWhatIsNoExpression) {
  EXPECT_EQ(error_of("{{ }}"), "line 1: found '}}', expected an expression");
  EXPECT_EQ(error_of("{{ 1 + }}"), "line 1: found '}}', expected an expression");
  EXPECT_EQ(error_of("{{ if }}"), "line 1: found 'if', expected an expression");
  EXPECT_EQ(error_of("{{ {1 2} }}"), "line 1: found '2', expected ':'");
}

TEST(ExpressionParser, BoundsNesting) {
  const auto nested = [](std::size_t n, std::string_view open, std::string_view close) {
    std::string source = "{{ ";
    for (std::size_t i = 0; i < n; ++i) source += open;
    source += "1";
    for (std::size_t i = 0; i < n; ++i) source += close;
    return source + " }}";
  };
  EXPECT_EQ(render(nested(60, "(", ")")), "1");
  for (const auto& [open, close] : {std::pair{"(", ")"},
                                    {"[", "]"},
                                    {"not ", ""},
                                    {"-", ""},
                                    {"1 if 1 else ", ""},
                                    {"{1:", "}"},
                                    {"x[", "]"}}) {
    EXPECT_EQ(error_of(nested(10'000, open, close)), "line 1: expressions nest deeper than 64")
        << open;
  }
}

TEST(ExpressionParser, BoundsChains) {
  std::string sum = "{{ 0";
  for (int i = 0; i < 100'000; ++i) sum += " + 1";
  EXPECT_EQ(error_of(sum + " }}"), "line 1: an expression has more than 256 levels");
  std::string joined = "{{ ''";
  for (int i = 0; i < 1000; ++i) joined += " ~ 'a'";
  EXPECT_EQ(render(joined + " }}"), std::string(1000, 'a'));
}

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
