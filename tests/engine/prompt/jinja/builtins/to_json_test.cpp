// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/to_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

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
