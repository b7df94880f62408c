// SPDX-License-Identifier: MIT
#include "engine/text/utf8_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace confab::engine {
namespace {

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
