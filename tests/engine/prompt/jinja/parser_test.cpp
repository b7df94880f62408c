// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Parser, PrintsWhatJinja2Prints) {
  expect_jinja2_output("parser");
}

TEST(Parser, NamesTheFaultAndItsLine) {
  EXPECT_EQ(error_of("\n{% endif %}"),
            "line 2: found 'endif', expected a statement that chat templates use (if, for, set, "
            "macro, ...)");
  EXPECT_EQ(error_of("{% if x %}{% endfor %}").substr(0, 21), "line 1: found 'endfor");
  EXPECT_EQ(error_of("{% break %}").substr(0, 20), "line 1: found 'break");
  EXPECT_EQ(error_of("{% set 1 = 2 %}"), "line 1: found '1', expected a name");
  EXPECT_EQ(error_of("{% macro m(a=1, b) %}{% endmacro %}"),
            "line 1: a parameter without a default follows one with a default");
  EXPECT_EQ(error_of("{% call x %}{% endcall %}"), "line 1: found no call, expected a macro's");
  EXPECT_EQ(error_of("{% autoescape true %}{% endautoescape %}").substr(0, 21),
            "line 1: found 'true',");
}

TEST(Parser, ReadsNoFiles) {
  for (const char* source : {"\n{% include 'x' %}", "\n{% extends '/etc/passwd' %}",
                             "\n{% import 'x' as y %}", "\n{% from 'x' import y %}"}) {
    EXPECT_THAT(error_of(source), testing::StartsWith("line 2: '")) << source;
    EXPECT_THAT(error_of(source), testing::HasSubstr("would read another file")) << source;
  }
}

TEST(Parser, BoundsNesting) {
  std::string source;
  for (int i = 0; i < 10'000; ++i) source += "{% if 1 %}";
  EXPECT_EQ(error_of(source), "line 1: statements nest deeper than 64");
  std::string target = "{% set ";
  for (int i = 0; i < 10'000; ++i) target += "(";
  EXPECT_EQ(error_of(target), "line 1: a target nests deeper than 64");
}

}  // namespace
}  // namespace confab::engine::jinja
