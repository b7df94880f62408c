// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Tests, PrintsWhatJinja2Prints) {
  expect_jinja2_output("tests");
}

TEST(Tests, RefuseOtherKinds) {
  EXPECT_EQ(error_of("{{ 'a' is even }}"), "line 1: test 'even': found str, expected int");
  EXPECT_EQ(error_of("{{ 1 is divisibleby 0 }}"), "line 1: division by zero");
  EXPECT_EQ(error_of("{{ 1 is defined(2) }}"),
            "line 1: a test: found 1 arguments, expected at most 0");
}

}  // namespace
}  // namespace confab::engine::jinja
