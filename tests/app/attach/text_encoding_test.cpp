// SPDX-License-Identifier: MIT
#include "app/attach/text_encoding.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

using namespace std::string_literals;

void expect(const std::string& bytes, const std::string& text, Encoding encoding,
            std::size_t n_replaced = 0) {
  const auto decoded = decode_text(bytes);
  ASSERT_TRUE(decoded) << text;
  EXPECT_EQ(decoded->text, text);
  EXPECT_EQ(decoded->encoding, encoding) << text;
  EXPECT_EQ(decoded->n_replaced, n_replaced) << text;
}

TEST(TextEncodingTest, Utf8StaysAsItIsButForItsMark) {
  expect("", "", Encoding::utf8);
  expect("plain\r\n\x1b[31m", "plain\r\n\x1b[31m", Encoding::utf8);
  expect("na\u00efve \u2026 \U0001F98A", "na\u00efve \u2026 \U0001F98A", Encoding::utf8);
  expect("\xEF\xBB\xBFmarked", "marked", Encoding::utf8);
}

TEST(TextEncodingTest, Utf16IsKnownByItsMark) {
  expect("\xFF\xFEh\0i\0\n\0"s, "hi\n", Encoding::utf16);
  expect("\xFE\xFF\0h\0i\0\n"s, "hi\n", Encoding::utf16);
  expect("\xFF\xFE\xE9\0\xAC\x20"s, "\u00e9\u20ac", Encoding::utf16);
  expect("\xFF\xFE\x3E\xD8\x8A\xDD"s, "\U0001F98A", Encoding::utf16);
  expect("\xFE\xFF\xD8\x3E\xDD\x8A"s, "\U0001F98A", Encoding::utf16);
  expect("\xFF\xFE"s, "", Encoding::utf16);
  EXPECT_FALSE(decode_text("h\0i\0"s)) << "without a mark it is not text";
}

TEST(TextEncodingTest, TornUtf16IsMendedWhereMostIsText) {
  std::string letters = "\xFF\xFE";
  for (int i = 0; i < 20; ++i) letters += "a\0"s;
  expect(letters + "\x3E\xD8"s, std::string(20, 'a') + "\uFFFD", Encoding::utf16, 1);
  expect(letters + "\x8A\xDD"s, std::string(20, 'a') + "\uFFFD", Encoding::utf16, 1);
  expect(letters + "b", std::string(20, 'a'), Encoding::utf16, 1);
  EXPECT_FALSE(decode_text("\xFF\xFE\x00\xD8\x00\xD8\x00\xD8"s));
  EXPECT_FALSE(decode_text("\xFF\xFE\0\0a\0\0\0"s)) << "UTF-32";
  EXPECT_FALSE(
      decode_text("\xFF\xFE"
                  "a\0\0\0b\0"s))
      << "a NUL";
}

TEST(TextEncodingTest, WordsOfWesternEuropeAreLatin1) {
  expect(
      "Gr\xFC\xDF"
      "e aus K\xF6ln\n",
      "Gr\u00fc\u00dfe aus K\u00f6ln\n", Encoding::latin1);
  expect("\xE9", "\u00e9", Encoding::latin1);
  expect("the \x93quoted\x94 price: 5 \x80", "the \u201cquoted\u201d price: 5 \u20ac",
         Encoding::latin1);
}

TEST(TextEncodingTest, WhatIsNoTextIsNotTakenForLatin1) {
  EXPECT_FALSE(decode_text("ab\0c"s));
  EXPECT_FALSE(decode_text("caf\xE9 \x01\x02"s)) << "control characters";
  EXPECT_FALSE(decode_text("caf\xE9 \x81"s)) << "a byte that windows-1252 does not have";
  std::string many;
  for (int i = 0; i < 300; ++i) many += static_cast<char>(0xC0 + i % 32);
  EXPECT_FALSE(decode_text(many)) << "hardly words";
}

TEST(TextEncodingTest, AFewFaultsDoNotMakeUtf8SomethingElse) {
  expect("na\u00efve caf\u00e9 \u2026 \u00e9\u00e9 \xFF end",
         "na\u00efve caf\u00e9 \u2026 \u00e9\u00e9 \uFFFD end", Encoding::utf8, 1);
  expect("caf\u00e9 cut \xF0\x9F\xA6", "caf\u00e9 cut \uFFFD\uFFFD\uFFFD", Encoding::utf8, 3);
  const std::string overlong = "caf\u00e9 \xC0\xAF";
  expect(overlong, "caf\u00e9 \uFFFD\uFFFD", Encoding::utf8, 2);
}

TEST(TextEncodingTest, EveryCodePointIsWritten) {
  for (const auto& [c, want] : {std::pair{U'a', "a"s},
                                {U'\u00e9', "\xC3\xA9"s},
                                {U'\u20ac', "\xE2\x82\xAC"s},
                                {U'\U0001F98A', "\xF0\x9F\xA6\x8A"s},
                                {char32_t{0xD800}, "\uFFFD"s},
                                {char32_t{0x110000}, "\uFFFD"s}}) {
    std::string text;
    append_utf8(text, c);
    EXPECT_EQ(text, want);
  }
}

}  // namespace
}  // namespace confab::app
