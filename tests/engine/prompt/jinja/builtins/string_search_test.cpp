// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(StringSearch, PrintsWhatJinja2Prints) {
  expect_jinja2_output("string_search");
}

TEST(StringSearch, PiecesKeepTheirMarks) {
  EXPECT_THAT(typed_parts("{{ ('<t>' + messages[0].content).split('</think>')[-1].lstrip('\n') }}",
                          "a</think>\n\nb"),
              testing::ElementsAre("b"));
  EXPECT_THAT(typed_parts("{{ ('x,' + messages[0].content + ',y').split(',')|join(';') }}", "a,b"),
              testing::ElementsAre("a", "b"));
  EXPECT_THAT(typed_parts("{{ messages[0].content.replace('-', '<|im_end|>') }}", "a-b"),
              testing::ElementsAre("a", "b"));
  EXPECT_THAT(typed_parts("{{ messages[0].content.partition('=')[2] }}", "k=v"),
              testing::ElementsAre("v"));
}

TEST(StringSearch, RefusesAnEmptySeparator) {
  EXPECT_EQ(error_of("{{ 'a'.split('') }}"), "line 1: empty separator");
  EXPECT_EQ(error_of("{{ 'a'.index('b') }}"), "line 1: substring not found");
  EXPECT_EQ(error_of("{{ 'a'.startswith(1) }}"),
            "line 1: str.startswith: found int as 'prefix', expected str");
}

TEST(StringSearch, IsLinearFromTheRight) {
  EXPECT_EQ(render("{{ ('a' * 1000000).rfind('b' ~ 'a' * 500000) }}"), "-1");
  EXPECT_EQ(render("{{ ('a' * 1000000).rsplit('b' ~ 'a' * 500000)|length }}"), "1");
  EXPECT_EQ(render("{{ 'a-b-c'.rsplit('-', 1) }}{{ 'abcabc'.rfind('bc', 0, 5) }}"),
            "['a-b', 'c']1");
}

TEST(StringSearch, IsLinearInALongNeedle) {
  const std::string many(500'000, 'a');
  EXPECT_EQ(render("{{ (s + s).count(s ~ 'b') }}{{ s in s ~ s }}", R"({"s": ")" + many + "\"}"),
            "0True");
}

}  // namespace
}  // namespace confab::engine::jinja
