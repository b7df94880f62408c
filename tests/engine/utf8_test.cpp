// SPDX-License-Identifier: MIT
#include "engine/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {
namespace {

std::string utf8(char32_t c) {
  std::string out;
  append_utf8(out, c);
  return out;
}

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c < 0xE000;
}

TEST(Utf8Test, ReadsEveryCharacterThatItWrites) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const std::string text = utf8(c);
    ASSERT_EQ(text.size(), utf8_size(c));
    const Utf8Char got = read_utf8(text + "x"), bits = read_utf8_bits(text + "x");
    ASSERT_EQ(bits.code_point, c);
    ASSERT_EQ(bits.size, text.size());
    ASSERT_EQ(got.code_point, is_surrogate(c) ? kNotUtf8 : c);
    ASSERT_EQ(got.size, is_surrogate(c) ? 1U : text.size());
    ASSERT_FALSE(got.cut);
  }
}

TEST(Utf8Test, ABeginningIsCut) {
  for (const char32_t c : {U'\u00E9', U'\u20AC', U'\U0001F600', U'\uD7FF', U'\U0010FFFF'}) {
    const std::string text = utf8(c);
    for (std::size_t n = 1; n < text.size(); ++n) {
      const Utf8Char got = read_utf8(text.substr(0, n)), bits = read_utf8_bits(text.substr(0, n));
      EXPECT_EQ(got.code_point, kNotUtf8);
      EXPECT_EQ(got.size, n);
      EXPECT_TRUE(got.cut);
      EXPECT_EQ(bits.code_point, kNotUtf8);
      EXPECT_EQ(bits.size, 1U);
      const Utf8Char broken = read_utf8(text.substr(0, n) + "x");
      EXPECT_EQ(broken.size, n);
      EXPECT_FALSE(broken.cut);
    }
  }
}

struct Broken {
  std::string text;
  std::size_t size;  // of its first part that is no character
  char32_t bits;     // what it is by its bits
};

// Unicode 15, table 3-7 and its borders.
TEST(Utf8Test, RefusesWhatIsNoCharacter) {
  const Broken cases[] = {
      {"\x80", 1, kNotUtf8},
      {"\xBF\x80", 1, kNotUtf8},
      {"\xC0\x80", 1, 0},
      {"\xC1\xBF", 1, 0x7F},
      {"\xE0\x80\x80", 1, 0},
      {"\xE0\x9F\xBF", 1, 0x7FF},
      {"\xED\xA0\x80", 1, 0xD800},
      {"\xED\xBF\xBF", 1, 0xDFFF},
      {"\xF0\x8F\xBF\xBF", 1, 0xFFFF},
      {"\xF4\x90\x80\x80", 1, 0x110000},
      {"\xF7\xBF\xBF\xBF", 1, 0x1FFFFF},
      {"\xF8\x88\x80\x80\x80", 1, kNotUtf8},
      {"\xFF", 1, kNotUtf8},
      {"\xE2\x82\x41", 2, kNotUtf8},
      {"\xF0\x9F\x98\x41", 3, kNotUtf8},
  };
  for (const Broken& broken : cases) {
    const Utf8Char got = read_utf8(broken.text);
    EXPECT_EQ(got.code_point, kNotUtf8) << testing::PrintToString(broken.text);
    EXPECT_EQ(got.size, broken.size) << testing::PrintToString(broken.text);
    EXPECT_FALSE(got.cut);
    EXPECT_EQ(read_utf8_bits(broken.text).code_point, broken.bits)
        << testing::PrintToString(broken.text);
  }
}

const std::string kReplacement = "\xEF\xBF\xBD";

std::string whole(std::string_view bytes) {
  Utf8Stream stream;
  std::string text;
  stream.push(bytes, text);
  stream.finish(text);
  return text;
}

TEST(Utf8StreamTest, ValidTextPassesUnchanged) {
  for (const std::string text : {"", "plain", "caf\u00e9", "\u20ac\uFFFD\xED\x9F\xBF\xEE\x80\x80",
                                 "\U0001F98A\U0010FFFF", "a\tb\n"}) {
    EXPECT_EQ(whole(text), text);
  }
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(whole(with_nul), with_nul);
}

TEST(Utf8StreamTest, ACharacterAppearsWithItsLastByte) {
  Utf8Stream stream;
  std::string text;
  for (const char byte : std::string("\xF0\x9F\xA6")) {
    stream.push({&byte, 1}, text);
    EXPECT_EQ(text, "");
  }
  stream.push("\x8A", text);
  EXPECT_EQ(text, "\U0001F98A");
}

TEST(Utf8StreamTest, APartLeftAtTheEndBecomesOneReplacement) {
  for (const std::string part : {"\xC3", "\xE2\x82", "\xF0\x9F\xA6"}) {
    EXPECT_EQ(whole("a" + part), "a" + kReplacement);
  }
  Utf8Stream stream;
  std::string text;
  stream.push("\xC3", text);
  stream.finish(text);
  stream.push("b", text);
  stream.finish(text);
  EXPECT_EQ(text, kReplacement + "b");
}

struct Case {
  std::string bytes;
  std::string want;  // '?' stands for U+FFFD
};

TEST(Utf8StreamTest, ReplacesEachMaximalPartOnce) {
  const Case cases[] = {
      {"\x80", "?"},
      {"\xC3(", "?("},
      {"\xC0\xAF", "??"},                                 // overlong
      {"\xE0\x80\xAF", "???"},                            // overlong
      {"\xED\xA0\x80", "???"},                            // surrogate
      {"\xF4\x91\x92\x93", "????"},                       // past U+10FFFF
      {"\xFF\x41\x80\x42", "?A?B"},                       // table 3-10 of Unicode 15
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "????A"},  // table 3-11
      {"\xE2\x82\xE2\x82\xAC", "?\u20ac"},
  };
  for (const Case& c : cases) {
    std::string want;
    for (const char byte : c.want) want += byte == '?' ? kReplacement : std::string(1, byte);
    EXPECT_EQ(whole(c.bytes), want);
  }
}

TEST(Utf8StreamTest, TheTextDoesNotDependOnHowTheBytesAreCut) {
  std::mt19937 rng(20250611);
  const std::vector<std::string> parts{"a",        "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\xA6\x8A",
                                       "\x80",     "\xE2\x82", "\xF0\x9F",     "\xC0",
                                       "\xED\xA0", "\xFF"};
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (int i = 0; i < 20; ++i) bytes += parts[rng() % parts.size()];
    Utf8Stream stream;
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = 1 + rng() % 5;
      stream.push(std::string_view(bytes).substr(at, n), text);
      EXPECT_EQ(whole(text), text) << "part of a character given out";
      at += n;
    }
    stream.finish(text);
    EXPECT_EQ(text, whole(bytes)) << round;
  }
}

}  // namespace
}  // namespace confab::engine
