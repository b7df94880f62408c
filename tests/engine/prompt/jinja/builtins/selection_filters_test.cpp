// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/selection_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(SelectionFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("selection_filters");
}

TEST(SelectionFilters, RefuseWhatNamesNothing) {
  EXPECT_EQ(error_of("{{ [1]|map('nope')|list }}"), "line 1: no filter 'nope'");
  EXPECT_EQ(error_of("{{ [1]|select('nope')|list }}"), "line 1: no test 'nope'");
  EXPECT_EQ(error_of("{{ [1]|map(1) }}"), "line 1: expected the name of a filter or test");
  EXPECT_EQ(error_of("{{ [1]|selectattr }}"), "line 1: expected the name of an attribute");
}

TEST(SelectionFilters, KeepMarks) {
  EXPECT_THAT(typed_parts("{{ messages|map(attribute='content')|join(', ') }}", "hi"),
              testing::ElementsAre("hi"));
}

}  // namespace
}  // namespace confab::engine::jinja
