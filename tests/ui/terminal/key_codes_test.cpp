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
    const Key key = reported_key({.code = c.code, .modifiers = 1 + 4});
    EXPECT_EQ(key, (Key{.character = c.character, .ctrl = true, .bytes = c.bytes})) << c.code;
  }
}

TEST(KeyCodesTest, WhatControlMakesAKeyOfIsThatKey) {
  EXPECT_EQ(reported_key({.code = 'i', .modifiers = 1 + 4}),
            (Key{.code = Code::tab, .bytes = "\t"}));
  EXPECT_EQ(reported_key({.code = 'm', .modifiers = 1 + 4}),
            (Key{.code = Code::enter, .bytes = "\r"}));
  EXPECT_EQ(reported_key({.code = '[', .modifiers = 1 + 4}),
            (Key{.code = Code::escape, .bytes = "\x1b"}));
  EXPECT_EQ(reported_key({.code = '?', .modifiers = 1 + 4}),
            (Key{.code = Code::backspace, .bytes = "\x7f"}));
  EXPECT_EQ(reported_key({.code = 'm', .modifiers = 1 + 2 + 4}),
            (Key{.code = Code::enter, .alt = true, .bytes = "\x1b\r"}));
}

TEST(KeyCodesTest, ShiftEnterIsToldFromEnter) {
  EXPECT_EQ(reported_key({.code = '\r', .modifiers = 2}),
            (Key{.code = Code::enter, .shift = true, .bytes = "\r"}));
}

TEST(KeyCodesTest, ShiftTabIsBackTab) {
  EXPECT_EQ(reported_key({.code = '\t', .modifiers = 2}),
            (Key{.code = Code::tab, .shift = true, .bytes = "\x1b[Z"}));
}

TEST(KeyCodesTest, LocksAreNoModifiers) {
  EXPECT_EQ(reported_key({.code = 'a', .modifiers = 1 + 64 + 128}), text_key(U'a'));
}

TEST(KeyCodesTest, TheKeypadSendsWhatItSays) {
  EXPECT_EQ(reported_key({.code = 57399, .modifiers = 0}), text_key(U'0'));
  EXPECT_EQ(reported_key({.code = 57408, .modifiers = 0}), text_key(U'9'));
  EXPECT_EQ(reported_key({.code = 57413, .modifiers = 0}), text_key(U'+'));
  EXPECT_EQ(reported_key({.code = 57414, .modifiers = 0}),
            (Key{.code = Code::enter, .bytes = "\r"}));
  EXPECT_EQ(reported_key({.code = 57416, .modifiers = 0}), text_key(U','));
  EXPECT_EQ(reported_key({.code = 57417, .modifiers = 0}),
            (Key{.code = Code::left, .bytes = "\x1b[D"}));
  EXPECT_EQ(reported_key({.code = 57426, .modifiers = 0}),
            (Key{.code = Code::del, .bytes = "\x1b[3~"}));
}

TEST(KeyCodesTest, KeysWithoutACharacterAreUnknown) {
  for (const int code : {57358, 57428, 0xD800, 0x85, 0x110000})
    EXPECT_EQ(reported_key({.code = code, .modifiers = 0}), (Key{.code = Code::unknown})) << code;
}

}  // namespace
}  // namespace confab::ui
