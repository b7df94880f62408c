// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Globals, PrintsWhatJinja2Prints) {
  expect_jinja2_output("globals");
}

TEST(Globals, RaiseExceptionFailsWithItsMessage) {
  EXPECT_EQ(error_of("\n{{ raise_exception('roles must alternate') }}"),
            "line 2: roles must alternate");
  EXPECT_EQ(error_of("{{ raise_exception('two\\nlines') }}"), "line 1: two lines");
}

TEST(Globals, BoundRange) {
  EXPECT_EQ(render("{{ range(100000)|length }}"), "100000");
  EXPECT_EQ(error_of("{{ range(1000000000) }}"), "line 1: range: found more than 100000 numbers");
  EXPECT_EQ(render("{{ range(9223372036854775806, 9223372036854775807, 5)|list }}"),
            "[9223372036854775806]");
  EXPECT_EQ(error_of("{{ range(1, 2, 0) }}"), "line 1: range() arg 3 must not be zero");
}

TEST(Globals, RefuseWrongArguments) {
  EXPECT_EQ(error_of("{{ dict([1]) }}"), "line 1: 'int' object is not iterable");
  EXPECT_EQ(error_of("{{ cycler() }}"), "line 1: cycler: expected at least one item");
  EXPECT_THAT(error_of("{{ strftime_now('%Y' * 1000) }}"), testing::HasSubstr("longer than 1 KiB"));
}

}  // namespace
}  // namespace confab::engine::jinja
