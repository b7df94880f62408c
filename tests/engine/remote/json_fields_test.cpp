// SPDX-License-Identifier: MIT
#include "engine/remote/json_fields.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(JsonFieldsTest, WhatIsMissingOrOfAnotherKindIsNone) {
  const Json json = Json::parse(R"({"a":{"b":7,"t":"x"},"n":null,"f":-1.5,"y":true,"h":1e300})");
  EXPECT_EQ(count_of(field(json, "a", "b")), 7);
  EXPECT_EQ(text_of(field(json, "a", "t")), "x");
  EXPECT_EQ(field(json, "n"), nullptr);
  EXPECT_EQ(field(json, "f", "b"), nullptr);
  EXPECT_EQ(field(nullptr, "b"), nullptr);
  EXPECT_EQ(text_of(field(json, "f")), "");
  EXPECT_EQ(count_of(field(json, "f")), 0);
  EXPECT_EQ(number_of(field(json, "f")), -1.5);
  EXPECT_FALSE(whole_of(field(json, "h")));
  EXPECT_TRUE(is_true(field(json, "y")));
  EXPECT_FALSE(is_true(field(json, "f")));
}

TEST(JsonFieldsTest, BytesThatAreNotUtf8DoNoHarm) {
  const auto json = parse_json("{\"a\":\"x\xFFy\"}");
  ASSERT_TRUE(json);
  EXPECT_EQ(text_of(field(*json, "a")), "x\xEF\xBF\xBDy");
  EXPECT_FALSE(parse_json("{\"a\":"));
}

TEST(JsonFieldsTest, WhatIsTooDeepIsNothingAndNoFault) {
  const auto json = parse_json(std::string(200'000, '[') + std::string(200'000, ']'));
  ASSERT_TRUE(json);
  EXPECT_TRUE(json->is_null());
}

}  // namespace
}  // namespace confab::engine
