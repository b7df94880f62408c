// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(StringFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("string_filters");
}

TEST(StringFilters, KeepOrRemake) {
  EXPECT_THAT(typed_parts("<{{ messages[0].content|trim }}>", "  a b "),
              testing::ElementsAre("a b"));
  EXPECT_THAT(typed_parts("<{{ ('x' + messages[0].content)|upper }}>", "ab"),
              testing::ElementsAre("XAB"));
  EXPECT_THAT(typed_parts("{{ messages[0].content|indent(2) }}", "a\nb"),
              testing::ElementsAre("a", "b"));
  EXPECT_THAT(typed_parts("{{ 'a-b'|replace('-', messages[0].content) }}", "|"),
              testing::ElementsAre("|"));
  EXPECT_THAT(typed_parts("{{ '%s!'|format(messages[0].content) }}", "hi"),
              testing::ElementsAre("hi"));
}

TEST(StringFilters, BoundWidths) {
  EXPECT_EQ(error_of("{{ 'a'|center(999999999999) }}"), "line 1: the width is too large");
  EXPECT_EQ(error_of("{{ 'a'|indent(999999999999) }}"), "line 1: indent: the width is too large");
  EXPECT_EQ(error_of("{{ 'abcdefghij'|truncate(2) }}"),
            "line 1: truncate: the length is smaller than that of the end");
}

}  // namespace
}  // namespace confab::engine::jinja
