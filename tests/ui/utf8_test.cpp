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

}  // namespace
}  // namespace confab::ui
