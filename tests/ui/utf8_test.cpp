// SPDX-License-Identifier: MIT
#include "ui/utf8.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(Utf8Test, CharactersComeBack) {
  for (const char32_t c : {U'a', U'\x7f', U'\x80', U'é', U'\u07ff', U'\u0800', U'界', U'\uffff',
                           U'\U00010000', U'\U0010ffff'})
    EXPECT_EQ(from_utf8(to_utf8(c) + "x"), c);
  EXPECT_EQ(to_utf8(U'é'), "é");
}

TEST(Utf8Test, WhatIsNoCharacterIsReplaced) {
  EXPECT_EQ(to_utf8(0xd800), "\uFFFD");
  EXPECT_EQ(to_utf8(0x110000), "\uFFFD");
  EXPECT_EQ(from_utf8("\xff"), U'\uFFFD');
  EXPECT_EQ(from_utf8("\xc3"), U'\uFFFD');
}

// The Unicode Standard, chapter 3, table 3-8.
TEST(Utf8Test, WhatIsMalformedEndsWhereACharacterMayBegin) {
  using enum Utf8Character::Kind;
  EXPECT_EQ(next_character("\xe1\x80\xe2").n_bytes, 2u);
  EXPECT_EQ(next_character("\xe1\x80\xe2").kind, malformed);
  EXPECT_EQ(next_character("\xed\xa0\x80").n_bytes, 1u);
  EXPECT_EQ(next_character("\xf0\x80\x80\x80").n_bytes, 1u);
  EXPECT_EQ(next_character("\xf0\x9f\x98").kind, cut);
  EXPECT_EQ(next_character("\xf0\x9f\x98").n_bytes, 3u);
  EXPECT_EQ(next_character("é").kind, whole);
}

}  // namespace
}  // namespace confab::ui
