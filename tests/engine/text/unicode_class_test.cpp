// SPDX-License-Identifier: MIT
#include "engine/text/unicode_class.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

void expect_class(std::u32string_view characters, int want) {
  for (const char32_t c : characters) EXPECT_EQ(char_class(c), want) << std::uint32_t{c};
}

TEST(UnicodeClassTest, CategoriesOfWellKnownCharacters) {
  expect_class(U"aZéßЖ中はカ가\u02B0ǅ𝒳", kLetter);
  expect_class(U"09٣Ⅷ½²〇", kNumber);
  expect_class(U"!\"#%&'()*,-./:;?@[\\]_{}«—。", kPunctuation);
  expect_class(U"$+<=>^`|~€¬😀", kSymbol);
  expect_class(U"\u0301\u093F\u20DD\U000E0100", kMark);
  expect_class(U"\u0001\u007F\u200D\u00AD\uD7FC\uE000\U000E0001\U0010FFFF", 0);
  EXPECT_EQ(char_class(0xFFFFFFFF), 0);
}

TEST(UnicodeClassTest, WhiteSpaceIsTheUnicodeProperty) {
  int n = 0;
  for (char32_t c = 0; c < 0x110000; ++c) n += char_class(c) == kSpace ? 1 : 0;
  EXPECT_EQ(n, 25);  // PropList.txt: White_Space
  EXPECT_EQ(char_class(0x85), kSpace);
  EXPECT_EQ(char_class(0x3000), kSpace);
  EXPECT_NE(char_class(0x200B), kSpace);
  EXPECT_NE(char_class(0x180E), kSpace);
}

TEST(UnicodeClassTest, EveryCodePointReadsBack) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    std::string text;
    append_utf8(text, c);
    const Char read = read_char(text.data(), text.data() + text.size());
    ASSERT_EQ(read.code_point, c);
    ASSERT_EQ(read.size, text.size());
    ASSERT_EQ(repair_utf8(text), std::nullopt) << std::uint32_t{c};
  }
  EXPECT_EQ(read_char(nullptr, nullptr).size, 0);
}

TEST(UnicodeClassTest, BadBytesBecomeReplacementCharacters) {
  EXPECT_EQ(repair_utf8("plain, caf\u00E9"), std::nullopt);
  EXPECT_EQ(repair_utf8("a\x80z"), "a\uFFFDz");
  EXPECT_EQ(repair_utf8("\xC3"), "\uFFFD");
  EXPECT_EQ(repair_utf8("\xE2\x82 x"), "\uFFFD\uFFFD x");
  EXPECT_EQ(repair_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  EXPECT_EQ(repair_utf8("\xC0\xAF"), "/");                                 // overlong
}

TEST(UnicodeClassTest, RepairedTextIsWellFormed) {
  std::mt19937 rng(20250611);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = random_bytes(rng, 40);
    EXPECT_EQ(repair_utf8(repair_utf8(bytes).value_or(bytes)), std::nullopt);
  }
}

}  // namespace
}  // namespace confab::engine
