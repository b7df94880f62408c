// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(StringMethods, PrintsWhatJinja2Prints) {
  expect_jinja2_output("string_methods");
}

TEST(StringMethods, BoundWidths) {
  EXPECT_EQ(error_of("{{ 'a'.ljust(999999999999) }}"), "line 1: the width is too large");
  EXPECT_EQ(error_of("{{ 'a'.rjust(5, 'xy') }}"),
            "line 1: the fill character must be one character long");
  EXPECT_EQ(error_of("{{ ','.join([1]) }}"),
            "line 1: str.join: found int in the list, expected str");
}

TEST(StringMethods, StripIsLinearInWhatItStrips) {
  EXPECT_EQ(render("{{ ('x' * 8000000).strip('a' * 8000000 ~ 'x') }}"), "");
  EXPECT_EQ(render("{{ ('x' * 8000000 ~ 'y')|trim('a' * 7000000 ~ '\u00e9x') }}"), "y");
}

TEST(StringMethods, StripTakesWholeCharacters) {
  EXPECT_EQ(render("{{ '\u00e9ab\u20ac'.strip('\u20ac\u00e9') }}"), "ab");
  EXPECT_EQ(render("{{ '\u00e9ab'.strip('\u00ea') }}"), "\u00e9ab");
  EXPECT_EQ(render("{{ '\xff"
                   "ab\xfe'.strip('\xff') }}"),
            "ab\xfe");
}

TEST(StringMethods, StripKeepsMarks) {
  EXPECT_THAT(typed_parts("[{{ messages[0].content.strip() }}]", " a "), testing::ElementsAre("a"));
  EXPECT_THAT(typed_parts("{{ ('--' + messages[0].content).lstrip('-') }}", "-a"),
              testing::ElementsAre("a"));
}

}  // namespace
}  // namespace confab::engine::jinja
