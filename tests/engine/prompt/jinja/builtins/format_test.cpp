// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Format, PrintsWhatJinja2Prints) {
  expect_jinja2_output("format");
}

TEST(Format, RefusesWrongArguments) {
  EXPECT_EQ(error_of("{{ '%s %s' % ('a',) }}"), "line 1: not enough arguments for format string");
  EXPECT_EQ(error_of("{{ '%s' % (1, 2) }}"),
            "line 1: not all arguments converted during string formatting");
  EXPECT_EQ(error_of("{{ '%d' % 'a' }}"), "line 1: format 'd': a number is required, not str");
  EXPECT_EQ(error_of("{{ '%(a)s' % 1 }}"), "line 1: format requires a mapping");
  EXPECT_EQ(error_of("{{ '%' % 1 }}"), "line 1: unsupported or incomplete format after '%'");
  EXPECT_EQ(error_of("{{ '{'.format(1) }}"), "line 1: single '{' or '}' in a format string");
  EXPECT_EQ(error_of("{{ '{x}'.format(1) }}"), "line 1: format: no argument 'x'");
  EXPECT_EQ(error_of("{{ '{} {}'.format(1) }}"), "line 1: format: too few arguments");
}

TEST(Format, BoundsWidths) {
  EXPECT_EQ(error_of("{{ '%999999999d' % 1 }}"), "line 1: a format needs more than 1000");
  EXPECT_EQ(error_of("{{ '{:999999999}'.format(1) }}"), "line 1: a format needs more than 1000");
}

TEST(Format, KeepsMarks) {
  EXPECT_THAT(typed_parts("{{ '<%s>' % messages[0].content }}", "a"), testing::ElementsAre("a"));
  EXPECT_THAT(typed_parts("{{ '<{:>3}>'.format(messages[0].content) }}", "a"),
              testing::ElementsAre("a"));
}

}  // namespace
}  // namespace confab::engine::jinja
