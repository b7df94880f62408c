// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Interpreter, PrintsWhatJinja2Prints) {
  expect_jinja2_output("interpreter");
}

TEST(Interpreter, NamesTheLineOfAnError) {
  EXPECT_EQ(error_of("a\n{% set x = 1 %}\n{{ x.y.z }}"),
            "line 3: 'int object' has no attribute 'y'");
  EXPECT_EQ(error_of("{% for x in none %}{% endfor %}"),
            "line 1: 'NoneType' object is not iterable");
  EXPECT_EQ(error_of("{% for a, b in [1, 2] %}{% endfor %}"),
            "line 1: 'int' object is not iterable");
  EXPECT_EQ(error_of("{% set a, b = [1] %}"), "line 1: found 1 values to unpack, expected 2");
  EXPECT_EQ(error_of("{% set x = {} %}{% set x.a = 1 %}"),
            "line 1: cannot assign attribute on non-namespace object");
}

TEST(Interpreter, BoundsSteps) {
  EXPECT_THAT(error_of("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
                       "{% endfor %}"),
              testing::HasSubstr("runs too long"));
}

TEST(Interpreter, BoundsOutput) {
  const std::string doubling =
      "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}"
      "{% endfor %}";
  EXPECT_THAT(error_of(doubling), testing::HasSubstr("is longer than 16777216"));
  EXPECT_THAT(error_of("{% set s = 'x' * 9000000 %}{{ s }}{{ s }}"),
              testing::HasSubstr("the output is longer than 16777216 bytes"));
}

TEST(Interpreter, BoundsWork) {
  EXPECT_THAT(error_of("{% set s = 'x' * 9000000 %}{% for i in range(9999) %}{% set t = s + 'y' %}"
                       "{% endfor %}"),
              testing::HasSubstr("too much data"));
}

TEST(Interpreter, BoundsNestedValues) {
  EXPECT_THAT(error_of("{% set ns = namespace(l=[]) %}{% for i in range(999) %}"
                       "{% set ns.l = [ns.l] %}{% endfor %}"),
              testing::HasSubstr("values nest deeper than 64"));
  EXPECT_THAT(error_of("{% set ns = namespace(l=[]) %}{% for i in range(50) %}"
                       "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}"),
              testing::HasSubstr("runs too long"));
}

TEST(Interpreter, ANamespaceMayHoldItself) {
  EXPECT_EQ(render("{% set a = namespace() %}{% set a.me = a %}{{ a.me.me is sameas a }}"), "True");
}

TEST(Interpreter, MarksPassThroughBlocks) {
  EXPECT_THAT(typed_parts("{% set x %}<{{ messages[0].content }}>{% endset %}[{{ x }}]", "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{% set ns = namespace(s='') %}{% for m in messages %}"
                          "{% set ns.s = ns.s + '<' + m.content + '>' %}{% endfor %}{{ ns.s }}",
                          "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{% for c in messages[0].content %}{{ c }}-{% endfor %}", "ab"),
              testing::ElementsAre("a", "b"));
}

}  // namespace
}  // namespace confab::engine::jinja
