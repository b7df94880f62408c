// SPDX-License-Identifier: MIT
#include "ui/terminal/key_codes.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Code = Key::Code;

TEST(KeyCodesTest, ReportedControlKeysHaveThePlainBytes) {
  struct Case {
    int code;
    std::string bytes;
    char32_t character;
  };
  for (const Case& c : {Case{'c', "\x03", U'c'},
                        {' ', std::string(1, '\0'), U'@'},
                        {'/', "\x1f", U'/'},
                        {'6', "\x1e", U'6'}}) {
    const Key key = reported_key(c.code, 1 + 4);
    EXPECT_EQ(key, (Key{.character = c.character, .ctrl = true, .bytes = c.bytes})) << c.code;
  }
}

TEST(KeyCodesTest, WhatControlMakesAKeyOfIsThatKey) {
  EXPECT_EQ(reported_key('i', 1 + 4), (Key{.code = Code::tab, .bytes = "\t"}));
  EXPECT_EQ(reported_key('m', 1 + 4), (Key{.code = Code::enter, .bytes = "\r"}));
  EXPECT_EQ(reported_key('[', 1 + 4), (Key{.code = Code::escape, .bytes = "\x1b"}));
  EXPECT_EQ(reported_key('?', 1 + 4), (Key{.code = Code::backspace, .bytes = "\x7f"}));
  EXPECT_EQ(reported_key('m', 1 + 2 + 4),
            (Key{.code = Code::enter, .alt = true, .bytes = "\x1b\r"}));
}

TEST(KeyCodesTest, ShiftEnterIsToldFromEnter) {
  EXPECT_EQ(reported_key('\r', 2), (Key{.code = Code::enter, .shift = true, .bytes = "\r"}));
}

TEST(KeyCodesTest, ShiftTabIsBackTab) {
  EXPECT_EQ(reported_key('\t', 2), (Key{.code = Code::tab, .shift = true, .bytes = "\x1b[Z"}));
}

TEST(KeyCodesTest, LocksAreNoModifiers) {
  EXPECT_EQ(reported_key('a', 1 + 64 + 128), text_key(U'a'));
}

TEST(KeyCodesTest, TheKeypadSendsWhatItSays) {
  EXPECT_EQ(reported_key(57399, 0), text_key(U'0'));
  EXPECT_EQ(reported_key(57408, 0), text_key(U'9'));
  EXPECT_EQ(reported_key(57413, 0), text_key(U'+'));
  EXPECT_EQ(reported_key(57414, 0), (Key{.code = Code::enter, .bytes = "\r"}));
  EXPECT_EQ(reported_key(57416, 0), text_key(U','));
  EXPECT_EQ(reported_key(57417, 0), (Key{.code = Code::left, .bytes = "\x1b[D"}));
  EXPECT_EQ(reported_key(57426, 0), (Key{.code = Code::del, .bytes = "\x1b[3~"}));
}

TEST(KeyCodesTest, KeysWithoutACharacterAreUnknown) {
  for (const int code : {57358, 57428, 0xD800, 0x85, 0x110000})
    EXPECT_EQ(reported_key(code, 0), (Key{.code = Code::unknown})) << code;
}

}  // namespace
}  // namespace confab::ui
