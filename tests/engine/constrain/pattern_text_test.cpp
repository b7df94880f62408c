// SPDX-License-Identifier: MIT
// What stands for one character, as ECMA-262 has it with its flag u.
#include "engine/constrain/pattern_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/constrain/pattern_cases.h"
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

TEST(PatternClassTest, ReadsOneAndNoMore) {
  PatternText text("[a-c]d");
  EXPECT_EQ(parse_character_set(text).ranges(), (std::vector<CharacterSet::Range>{{'a', 'c'}}));
  EXPECT_EQ(text.offset(), 5U);
}

TEST(PatternClassTest, Characters) {
  check_pattern({"a", {"a"}, {"", "b", "aa"}});
  check_pattern({"é", {"é"}, {"e", "\xC3"}});
  check_pattern({"]", {"]"}, {}});
  check_pattern({"}", {"}"}, {}});
  check_pattern(
      {".", {"a", "é", "😀", "\t"}, {"", "\n", "\r", "\xE2\x80\xA8", "\xE2\x80\xA9", "ab", "\xFF"}});
}

TEST(PatternClassTest, Escapes) {
  check_pattern({R"(\n\r\t\f\v)", {"\n\r\t\f\v"}, {"nrtfv"}});
  check_pattern({R"(\x41\u0042\u{43}\u{1F600})", {"ABC😀"}, {}});
  check_pattern({R"(\uD83D\uDE00)", {"😀"}, {}});
  check_pattern({R"(\cJ)", {"\n"}, {"J"}});
  check_pattern({R"(\/\.\*\(\)\[\]\{\}\|\^\$\\\-)", {R"(/.*()[]{}|^$\-)"}, {}});
  check_pattern({R"(\0)", {std::string(1, '\0')}, {"0", ""}});
}

TEST(PatternClassTest, ClassesByLetter) {
  check_pattern({R"(\d)", {"0", "9"}, {"a", "٣"}});
  check_pattern({R"(\D)", {"a", "٣", "\n"}, {"0"}});
  check_pattern({R"(\w)", {"a", "Z", "_", "0"}, {"é", "-"}});
  check_pattern({R"(\W)", {"é", "-", " "}, {"a", "_"}});
  check_pattern(
      {R"(\s)", {" ", "\t", "\n", "\u00A0", "\u2028", "\u3000", "\uFEFF"}, {"a", "\u200B"}});
  check_pattern({R"(\S)", {"a", "\u200B"}, {" ", "\u00A0"}});
}

TEST(PatternClassTest, Brackets) {
  check_pattern({"[abc]", {"a", "b", "c"}, {"d", "", "ab"}});
  check_pattern({"[^abc]", {"d", "é", "\n"}, {"a", ""}});
  check_pattern({"[a-c-]", {"a", "b", "-"}, {"d"}});
  check_pattern({"[-a]", {"a", "-"}, {"b"}});
  check_pattern({R"([a\-c])", {"a", "-", "c"}, {"b"}});
  check_pattern({R"([\d-x])", {"3", "-", "x"}, {"e"}});
  check_pattern({R"([a-\d])", {"a", "-", "3"}, {"b"}});
  check_pattern({R"([\b])", {"\b"}, {"b"}});
  check_pattern({R"([\]\\])", {"]", "\\"}, {"["}});
  check_pattern({"[.*+?(){}|$/]", {".", "*", "(", "$", "/"}, {"a"}});
  check_pattern({"[^]", {"a", "\n", "😀"}, {""}});
  check_pattern({"[]", {}, {"", "a", "]"}});
  check_pattern({"[α-ω]", {"β"}, {"a"}});
  check_pattern({R"([\u{1F600}-\u{1F64F}])", {"😀"}, {"😃😃", "a"}});
  check_pattern({R"([\0-\x7F])", {"a", std::string(1, '\0')}, {"é"}});
  check_pattern({R"([^\s\S])", {}, {"a", " ", ""}});
}

TEST(PatternClassTest, Properties) {
  check_pattern({R"(\p{L})", {"a", "é", "中"}, {"1", " "}});
  check_pattern({R"(\P{L})", {"1", " "}, {"a", "é"}});
  check_pattern({R"(\p{Letter}\p{Lu}\p{Nd})", {"aB1"}, {"ab1"}});
  check_pattern({R"(\p{General_Category=Lu})", {"B"}, {"b"}});
  check_pattern({R"(\p{Script=Greek}+)", {"αβγ"}, {"abc"}});
  check_pattern({R"(\p{ASCII})", {"a", "\n"}, {"é"}});
  check_pattern({R"([\p{L}\d_]+)", {"aé1_"}, {"-"}});
}

TEST(PatternClassTest, WhatIsWrongIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(\1)", "a reference back is not supported"},
      {R"(\b)", "\\b is not supported"},
      {R"(\B)", "\\B is not supported"},
      {R"(\k)", "\\k is not supported"},
      {R"(\q)", "\\q is not supported"},
      {"\\", "the expression ends too early"},
      {"[a", "'[' without ']'"},
      {"[z-a]", "a range in [] is out of order"},
      {R"(\x4)", "2 hexadecimal digits expected"},
      {R"(\u12)", "4 hexadecimal digits expected"},
      {R"(\u{110000})", "a character beyond U+10FFFF"},
      {R"(\u{12)", "1 hexadecimal digits expected"},
      {R"(\pL)", "\\p needs a name in braces"},
      {R"(\p{Nonsense})", "no property of characters is called 'Nonsense'"},
      {R"(\p{é})", "a property has only ASCII letters in its name"},
  };
  for (const auto& [pattern, fault] : cases) {
    RegexSet r;
    EXPECT_THAT(error_of([&] { parse_pattern(r, pattern); }), testing::EndsWith(fault)) << pattern;
  }
}

// A half of a pair stands for no text.
TEST(PatternClassTest, LoneSurrogatesMatchNothing) {
  check_pattern({R"(\uD83D)", {}, {"\xED\xA0\xBD", "?", ""}});
  check_pattern({R"(\uDE00\uD83D)", {}, {"😀", ""}});
  check_pattern({R"([\uD800-\uDFFF])", {}, {"\xED\xA0\xBD", "a"}});
}

}  // namespace
}  // namespace confab::engine
