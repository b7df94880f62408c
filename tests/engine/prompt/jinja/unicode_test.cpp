// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/unicode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine::jinja {
namespace {

TEST(Unicode, WalksBothWays) {
  const std::string_view s = "a\u00e9\u20ac\U0001F600\xff\xe2\x82z";
  std::vector<std::size_t> forward;
  for (std::size_t pos = 0; pos < s.size(); pos = char_end(s, pos)) forward.push_back(pos);
  std::vector<std::size_t> backward;
  for (std::size_t end = s.size(); end > 0; end = char_begin(s, end)) {
    backward.push_back(char_begin(s, end));
  }
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(count_chars(s), 8U);
  EXPECT_EQ(char_offset(s, 3), 6U);
  EXPECT_EQ(char_offset(s, 100), s.size());
}

TEST(Unicode, RefusesOverlongAndSurrogates) {
  EXPECT_EQ(decode("\xc0\x80", 0), kNotUtf8);
  EXPECT_EQ(decode("\xe0\x80\x80", 0), kNotUtf8);
  EXPECT_EQ(decode("\xed\xa0\x80", 0), kNotUtf8);
  EXPECT_EQ(decode("\xf4\x90\x80\x80", 0), kNotUtf8);
  EXPECT_EQ(decode("\xf0\x9f\x98\x80", 0), 0x1F600U);
}

TEST(Unicode, WritesWhatItReads) {
  for (const char32_t c : {0x41U, 0x7FFU, 0x800U, 0xFFFDU, 0x10000U, 0x10FFFFU}) {
    std::string out;
    append_utf8(out, c);
    EXPECT_EQ(decode(out, 0), c);
  }
  std::string out;
  append_utf8(out, 0xD800);
  EXPECT_EQ(out, "\uFFFD");
}

TEST(Unicode, TrimsWhatPythonCallsSpace) {
  const std::string_view s = "\u3000\t a \u2003\x1f";
  EXPECT_EQ(s.substr(space_end(s), 1), "a");
  EXPECT_EQ(s.substr(0, trailing_space_begin(s)).back(), 'a');
  EXPECT_FALSE(is_space(0x200B));
}

TEST(Unicode, MapsCase) {
  EXPECT_EQ(to_upper("aé\u0436ß"), "AÉ\u0416SS");
  EXPECT_EQ(to_lower("AÉ\u0416"), "aé\u0436");
  EXPECT_EQ(to_upper("\xff"
                     "a\xc3\xa9"),
            "\xff"
            "a\xc3\xa9");
}

TEST(Unicode, Classifies) {
  EXPECT_TRUE(all_of_class("aé", CharClass::alpha));
  EXPECT_FALSE(all_of_class("", CharClass::alpha));
  EXPECT_FALSE(all_of_class("\xff", CharClass::printable));
  EXPECT_FALSE(all_of_class("a\n", CharClass::printable));
  EXPECT_TRUE(all_of_class("A1", CharClass::upper));
  EXPECT_FALSE(all_of_class(std::string(1'000'000, 'A') + "a", CharClass::upper));
}

}  // namespace
}  // namespace confab::engine::jinja
