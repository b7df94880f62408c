// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Value, PrintsWhatJinja2Prints) {
  expect_jinja2_output("value");
}

TEST(Value, KnowsItsKind) {
  EXPECT_TRUE(Value().is_none());
  EXPECT_EQ(Value(true).integer(), 1);
  EXPECT_FALSE(Value(true).is_integer());
  EXPECT_EQ(Value(2.5).integer(), std::nullopt);
  EXPECT_EQ(Value(2.5).number(), 2.5);
  EXPECT_EQ(Value::plain("x").type_name(), "str");
  EXPECT_FALSE(undefined_name("x").truth());
  EXPECT_EQ(undefined_name("x").undefined_message(), "'x' is undefined");
}

TEST(Value, DictsKeepTheirOrderAndTheLastValue) {
  DictBuilder built;
  built.set(Text("b"), Value(true));
  built.set(Text("a"), Value());
  built.set(Text("b"), Value(2.0));
  const Dict dict = std::move(built).take();
  ASSERT_EQ(dict.items.size(), 2U);
  EXPECT_EQ(dict.items[0].first.text().view(), "b");
  EXPECT_EQ(dict.find("b")->number(), 2.0);
  EXPECT_EQ(dict.find("c"), nullptr);
}

TEST(Value, TuplesWithTheSamePartsHaveTheSameKey) {
  EXPECT_EQ(render("{{ {('ab', 'c'): 1}[('a', 'bc')] is defined }}"), "False");
  EXPECT_EQ(error_of("{{ {[]: 1} }}"), "line 1: unhashable type: 'list'");
}

}  // namespace
}  // namespace confab::engine::jinja
