// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/repr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(Repr, PrintsWhatJinja2Prints) {
  expect_jinja2_output("repr");
}

TEST(Repr, FloatsAreShortest) {
  EXPECT_EQ(float_repr(0.1), "0.1");
  EXPECT_EQ(float_repr(1e22), "1e+22");
  EXPECT_EQ(float_repr(123456.0), "123456.0");
  EXPECT_EQ(float_repr(1.5e-7), "1.5e-07");
}

TEST(Repr, BytesThatAreNotUtf8AreShownAsSurrogates) {
  EXPECT_EQ(
      ChatTemplate("{{ [messages[0].content] }}", "", "").render({{"user", "a\xff"}}, false).text,
      "['a\\udcff']");
}

TEST(Repr, OfTypedTextIsMarkedAsAWhole) {
  EXPECT_THAT(typed_parts("a{{ [messages[0].content, 1] }}b", "x"),
              testing::ElementsAre("['x', 1]"));
}

TEST(ToJson, PrintsWhatJinja2Prints) {
  expect_jinja2_output("to_json");
}

TEST(ToJson, RefusesWhatJsonCannotSay) {
  EXPECT_EQ(error_of("{{ x|tojson }}"),
            "line 1: Object of type Undefined is not JSON serializable");
  EXPECT_EQ(error_of("{{ {(1, 2): 3}|tojson }}"),
            "line 1: keys must be str, int, float, bool or None, not tuple");
  EXPECT_EQ(error_of("{{ {}.items()|tojson }}"),
            "line 1: Object of type dict_items is not JSON serializable");
}

TEST(ToJson, BoundsSharedValues) {
  EXPECT_THAT(error_of("{% set ns = namespace(l=[]) %}{% for i in range(50) %}"
                       "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson }}"),
              testing::HasSubstr("runs too long"));
}

}  // namespace
}  // namespace confab::engine::jinja
