// SPDX-License-Identifier: MIT
#include "app/transfer/json_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(JsonCursorTest, ValuesComeOut) {
  const JsonDocument document(R"({"a":[1,2.5,"x",true,null],"b":{"c":-3},"n":null})", "f");
  const JsonCursor root = document.root();
  const auto a = root.at("a").elements();
  EXPECT_EQ(a[0].integer(), 1);
  EXPECT_EQ(a[0].number(), 1.0);
  EXPECT_EQ(a[1].number(), 2.5);
  EXPECT_EQ(a[2].string(), "x");
  EXPECT_TRUE(a[3].boolean());
  EXPECT_EQ(root.at("b").at("c").integer(), -3);
  EXPECT_EQ(root.at("b").members()[0].first, "c");
  EXPECT_FALSE(root.find("n"));
  EXPECT_FALSE(root.find("missing"));
  EXPECT_TRUE(root.is_object());
  EXPECT_TRUE(root.at("a").is_array());
  EXPECT_TRUE(a[2].is_string());
}

TEST(JsonCursorTest, FaultsSayWhereAndWhat) {
  const JsonDocument document(R"({"a":[{"b":"x"}],"big":18446744073709551615,"f":1.5})", "f.json");
  const JsonCursor root = document.root();
  const auto message = [](auto f) { return ThrowsMessage<UserError>(f); };
  EXPECT_THAT([&] { root.at("a").elements()[0].at("b").integer(); },
              message(HasSubstr("f.json: a[0].b: found a string, expected a whole number")));
  EXPECT_THAT([&] { root.at("a").elements()[0].at("c"); },
              message(HasSubstr("f.json: a[0]: \"c\" is missing")));
  EXPECT_THAT([&] { root.string(); },
              message(HasSubstr("f.json: found an object, expected a string")));
  EXPECT_THAT([&] { root.at("a").members(); },
              message(HasSubstr("a: found an array, expected an object")));
  EXPECT_THAT([&] { root.at("a").find("x"); }, message(HasSubstr("expected an object")));
  EXPECT_THAT([&] { root.at("big").integer(); }, message(HasSubstr("too large")));
  EXPECT_THROW(root.at("f").integer(), UserError);
  EXPECT_THROW(root.at("f").boolean(), UserError);
  EXPECT_THROW(root.at("f").elements(), UserError);
}

TEST(JsonCursorTest, WhatIsNoJsonIsNamedWithItsPlace) {
  for (const char* text : {"", "{", "[1,]", "nonsense", "{\"a\":\"\xff\"}", "[1] 2"})
    EXPECT_THAT([&] { JsonDocument(text, "f.json"); },
                ThrowsMessage<UserError>(HasSubstr("f.json: not JSON: column ")))
        << text;
  EXPECT_THAT([] { JsonDocument("{\n  x}", "f.json"); },
              ThrowsMessage<UserError>(HasSubstr("not JSON: line 2, column 3")));
}

TEST(JsonCursorTest, WhatIsNestedForHarmIsRefused) {
  for (const std::size_t depth : {200U, 1000000U})
    for (const std::string& text :
         {std::string(depth, '['), std::string(depth, '[') + std::string(depth, ']')})
      EXPECT_THROW(JsonDocument(text, "f"), UserError) << depth;
  JsonDocument(std::string(90, '[') + std::string(90, ']'), "f");
}

}  // namespace
}  // namespace confab::app
