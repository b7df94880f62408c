// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/sequence_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(SequenceFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("sequence_filters");
}

TEST(SequenceFilters, RefuseOtherKinds) {
  EXPECT_EQ(error_of("{{ none|length }}"), "line 1: object of type 'NoneType' has no len()");
  EXPECT_EQ(error_of("{{ 'x'|items }}"), "line 1: Can only get item pairs from a mapping.");
  EXPECT_EQ(error_of("{{ [1, 'a']|sort }}"),
            "line 1: '<' not supported between instances of 'str' and 'int'");
  EXPECT_EQ(error_of("{{ [[], {}]|unique }}"), "line 1: unhashable type: 'list'");
}

TEST(SequenceFilters, SortSurvivesWhatHasNoOrder) {
  EXPECT_EQ(render("{{ (range(200)|map('string')|map('replace', '7', 'nan')|map('float')|list + "
                   "['nan'|float] * 50)|sort|length }}"),
            "250");
}

TEST(SequenceFilters, JoinKeepsMarks) {
  EXPECT_THAT(typed_parts("{{ ['<', messages[0].content, '>']|join('|') }}", "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{{ messages[0].content|list|reverse|join('.') }}", "ab"),
              testing::ElementsAre("b", "a"));
}

}  // namespace
}  // namespace confab::engine::jinja
