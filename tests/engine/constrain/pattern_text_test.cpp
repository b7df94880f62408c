// SPDX-License-Identifier: MIT
#include "engine/constrain/pattern_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

TEST(PatternTextTest, CharactersComeOneByOne) {
  PatternText text("aé😀");
  EXPECT_EQ(text.peek(), 'a');
  EXPECT_EQ(text.next(), U'a');
  EXPECT_EQ(text.next(), U'é');
  EXPECT_EQ(text.offset(), 3U);
  EXPECT_EQ(text.next(), U'😀');
  EXPECT_TRUE(text.at_end());
  EXPECT_EQ(text.peek(), '\0');
  EXPECT_THAT(error_of([&] { text.next(); }),
              testing::EndsWith(": at character 8: the expression ends too early"));
}

TEST(PatternTextTest, WhatIsNotUtf8IsSaid) {
  PatternText text("a\xFF");
  text.next();
  EXPECT_THAT(error_of([&] { text.next(); }), testing::HasSubstr("it is not UTF-8"));
}

TEST(PatternTextTest, WhatComesNextIsTakenOrLeft) {
  PatternText text("(?:x");
  EXPECT_FALSE(text.take(')'));
  EXPECT_FALSE(text.take("(?="));
  EXPECT_TRUE(text.take("(?:"));
  const std::size_t at = text.offset();
  EXPECT_TRUE(text.take('x'));
  EXPECT_FALSE(text.take('x'));
  text.back_to(at);
  EXPECT_TRUE(text.take("x"));
}

TEST(PatternTextTest, NumbersHaveALimit) {
  PatternText text("0120x100001");
  EXPECT_EQ(text.take_number(1000), 120);
  EXPECT_EQ(text.take_number(1000), std::nullopt);
  text.next();
  EXPECT_THAT(error_of([&] { text.take_number(100000); }),
              testing::HasSubstr("a number greater than 100000"));
  PatternText long_one("99999999999999999999999999999999");
  EXPECT_THAT(error_of([&] { long_one.take_number(100000); }), testing::HasSubstr("greater than"));
}

TEST(PatternTextTest, HexadecimalDigits) {
  PatternText text("1aFg");
  EXPECT_EQ(text.take_hex(3), 0x1AFU);
  EXPECT_THAT(error_of([&] { text.take_hex(1); }),
              testing::HasSubstr("1 hexadecimal digits expected"));
  PatternText eight("FFFFFFFF");
  EXPECT_EQ(eight.take_hex(8), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace confab::engine
