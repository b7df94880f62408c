// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/html_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(HtmlFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("html_filters");
}

TEST(HtmlFilters, KeepsTheMarksOfWhatWasTyped) {
  EXPECT_THAT(typed_parts("<b>{{ (messages[0].content|e) + '<' }}</b>", "a<b"),
              testing::ElementsAre("a&lt;b"));
  EXPECT_THAT(typed_parts("{{ '<x> a &amp; b'|striptags }}{{ messages[0].content|striptags }}",
                          "<i>t &lt; u</i>"),
              testing::ElementsAre("t", "<", "u"));
}

TEST(HtmlFilters, RefusesWhatIsNoAttribute) {
  EXPECT_EQ(error_of("{{ {'a b': 1}|xmlattr }}"),
            "line 1: xmlattr: 'a b' is not an attribute name");
  EXPECT_EQ(error_of("{{ [1]|xmlattr }}"), "line 1: xmlattr: found list, expected a mapping");
}

}  // namespace
}  // namespace confab::engine::jinja
