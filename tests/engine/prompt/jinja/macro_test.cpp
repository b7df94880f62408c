// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Macro, PrintsWhatJinja2Prints) {
  expect_jinja2_output("macro");
}

TEST(Macro, RefusesWrongArguments) {
  const std::string macro = "{% macro m(a) %}{{ a }}{% endmacro %}";
  EXPECT_EQ(error_of(macro + "{{ m(1, 2) }}"),
            "line 1: macro 'm' takes not more than 1 argument(s)");
  EXPECT_EQ(error_of(macro + "{{ m(b=2) }}"), "line 1: macro 'm' takes no keyword argument 'b'");
  EXPECT_EQ(error_of(macro + "{{ m(1, a=2) }}"), "line 1: macro 'm': 'a' is given twice");
}

TEST(Macro, BoundsRecursion) {
  EXPECT_THAT(error_of("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              testing::HasSubstr("deeper than 64"));
}

TEST(Macro, OutlivesItsScope) {
  EXPECT_EQ(render("{% set ns = namespace() %}{% for i in [1] %}{% macro m() %}[{{ i }}]"
                   "{% endmacro %}{% set ns.m = m %}{% endfor %}{{ ns.m() }}"),
            "[]");
}

TEST(Macro, MarksPassThrough) {
  EXPECT_THAT(typed_parts("{% macro m(x) %}<|im_start|>{{ x }}<|im_end|>{% endmacro %}"
                          "{{ m(messages[0].content)|trim }}",
                          "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{% macro m() %}<{{ caller() }}>{% endmacro %}"
                          "{% call m() %}{{ messages[0].content }}!{% endcall %}",
                          "hi"),
              testing::ElementsAre("hi"));
}

}  // namespace
}  // namespace confab::engine::jinja
