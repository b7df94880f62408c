// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Methods, PrintsWhatJinja2Prints) {
  expect_jinja2_output("methods");
}

TEST(Methods, AreFoundByKind) {
  const Value text = Value::plain("x");
  EXPECT_TRUE(find_method(text, "split"));
  EXPECT_TRUE(find_method(text, "upper"));
  EXPECT_FALSE(find_method(text, "items"));
  EXPECT_FALSE(find_method(Value(true), "items"));
}

TEST(Methods, RefuseChange) {
  EXPECT_EQ(error_of("{{ {'a': 1}.pop('a') }}"),
            "line 1: access to attribute 'pop' of 'dict' object is unsafe.");
  EXPECT_EQ(error_of("{{ [1].index(2) }}"), "line 1: list.index: the value is not in the list");
  EXPECT_EQ(error_of("{{ {}.get([]) }}"), "line 1: unhashable type: 'list'");
}

}  // namespace
}  // namespace confab::engine::jinja
