// SPDX-License-Identifier: MIT
// Each format with texts that are valid and texts that are not, after the documents that define it.
#include "engine/constrain/json/json_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/constrain/pattern_cases.h"

namespace confab::engine {
namespace {

void expect(const char* format, const std::vector<std::string>& valid,
            const std::vector<std::string>& invalid) {
  const auto pattern = format_pattern(format);
  ASSERT_TRUE(pattern) << format;
  check_pattern({std::string(*pattern), valid, invalid});
}

TEST(JsonFormatTest, OthersAreNotHeldTo) {
  for (const char* format : {"", "color", "Date", "date ", "int32"})
    EXPECT_FALSE(format_pattern(format)) << format;
}

TEST(JsonFormatTest, Times) {
  expect("time", {"12:00:00Z", "23:59:59.123z", "00:00:00+01:30"},
         {"12:00:00", "24:00:00Z", "12:60:00Z", "1:00:00Z", "12:00:00.Z", "12:00:00+24:00"});
  expect("date-time", {"2026-11-23T13:45:00Z", "1999-12-31t23:59:59.5-08:00"},
         {"2026-11-23 13:45:00Z", "2026-11-23", "2026-13-01T00:00:00Z", "2026-11-23T13:45Z"});
  expect("duration", {"P1Y", "P1Y2M3D", "PT1H2M3S", "P1DT12H", "P4W", "PT0S", "P1M"},
         {"P", "PT", "1Y", "P1S", "P1YT", "P1Y2W", "P1Y3D", "PT1H3S", "P-1Y"});
}

// Every day of some years, those that are and those that are not.
TEST(JsonFormatTest, Dates) {
  RegexSet r;
  const RegexId id = parse_pattern(r, *format_pattern("date"));
  for (const int year : {0, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9996})
    for (int month = 0; month < 14; ++month)
      for (int day = 0; day < 33; ++day) {
        const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        const int lengths[] = {0, 31, is_leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0};
        const std::string text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
        EXPECT_EQ(r.matches(id, text), day > 0 && day <= lengths[month]) << text;
      }
  expect("date", {}, {"2026-1-1", "26-01-01", "2026/01/01", "2026-01-01T", "", "+2026-01-01"});
}

TEST(JsonFormatTest, Hosts) {
  expect("hostname", {"localhost", "a.b-c.example", "a--b", "abc--d", "1.2", std::string(63, 'a')},
         {"", "-a", "a-", "a..b", ".a", "a.", "a_b", "xn--p1ai", "a.ab--c", std::string(64, 'a')});
  expect("email", {"a@b.c", "first.last+tag@example.org", "x@[127.0.0.1]", "o'hara@x"},
         {"a", "@b", "a@", "a b@c", ".a@b", "a.@b", "a..b@c", "a@-b", "a@b@c"});
  expect("ipv4", {"0.0.0.0", "255.255.255.255", "192.168.1.10"},
         {"256.0.0.0", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.", "a.b.c.d"});
  expect("ipv6",
         {"::", "::1", "1::", "2001:db8::8a2e:370:7334", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4",
          "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::", "fe80::1", "::2:3:4:5:6:7:8"},
         {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::g",
          "1:2:3:4:5:6:7:8::", "::1.2.3", "1.2.3.4", "fe80::1%eth0"});
}

TEST(JsonFormatTest, HostsOfOtherScripts) {
  expect("idn-hostname", {"localhost", "bücher.example", "実例", "правда-да.a"},
         {"", "-ü", "ü-", "ü..a", "a b", "Ü\u0640", "ü--ü", "〮a", std::string(80, 'a')});
  expect("idn-email", {"a@b.c", "jörg@bücher.example", "実例@実例"},
         {"ü", "@ü", "ü@", "ü ü@a", "a@ü-"});
}

// Each of them is a regular expression of ECMA-262; what is not is none of them.
TEST(JsonFormatTest, Expressions) {
  const std::vector<std::string> valid{"",
                                       "abc",
                                       "^[a-zA-Z0-9_]{3,16}$",
                                       "a|b||c",
                                       "(a(b(?:c)?)*)+?",
                                       "^\\s*(it|describe)\\(\\s*['\"]([^'\"]+)['\"]",
                                       "\\d{2}:\\d{2,}",
                                       "x{1,10}y{12,13}z{9,120}",
                                       "[\\w.-]+@[^\\s]+",
                                       "[-+]?\\.5",
                                       "(?=a)(?!b).*",
                                       "\\u00e9|\\x41-[\\u0000-\\u10ff]",
                                       "ü[ß€]"};
  const std::vector<std::string> invalid{"*",        "[",
                                         "\\",       "(",
                                         ")",        "a**",
                                         "+a",       "[z-a]",
                                         "a{3,1}",   "a{10,9}",
                                         "a{21,20}", "(?<a",
                                         "(?x)",     "a)b(",
                                         "[a",       "\\u12",
                                         "\\xg",     "^*",
                                         "]",        "Invalid [",
                                         "\\1",      "[9-0]",
                                         "{1}",      "a{1}{2}",
                                         "(?=a)*",   "[\\x50-\\x40]"};
  expect("regex", valid, invalid);
}

TEST(JsonFormatTest, Identifiers) {
  expect("uuid", {"123e4567-e89b-12d3-a456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"},
         {"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400", "", "g"});
  expect("uri",
         {"http://a", "https://user:pw@example.org:80/p/a?q=1#f", "mailto:a@b.c", "urn:isbn:123",
          "file:///etc/x", "http://[::1]/", "a:", "x:/", "tel:+1-2", "http://a/%41"},
         {"", "a", "//a/b", "/a", "1a:b", "http://a b", "http://a/%4", "http://a/\\", "a:#b#c"});
  expect("uri-reference", {"", "a", "/a/b", "../x", "?q", "#f", "//host/p", "http://a", "a/b:c"},
         {" ", "a b", "\\", "%4", "#a#b", "<>"});
  expect("iri", {"http://a", "https://é.example/ü?q=ß#ñ", "http://a/漢字"},
         {"", "a", "not-an-iri", "/ü", "http://a b", "http://a/\\", "http://a/<ü>"});
  expect("iri-reference", {"", "ü/ö", "http://é", "#ñ", "?\uE000"}, {" ", "ü ö", "\\ü", "#\uE000"});
  expect("uri-template", {"", "/a/{b}", "{+x,y}", "{?q*,r:3}", "it's", "a{/b.c}", "%41", "ü{%41}"},
         {"{", "}", "{}", "a b", "{a b}", "{x:0}", "{x:12345}", "%4", "<"});
  expect("json-pointer", {"", "/", "/a/b", "/a~0b~1c", "//", "/é"}, {"a", "/~", "/~2", "a/b"});
  expect("relative-json-pointer", {"0", "1/a", "12#", "0/a~1b"},
         {"", "/a", "01", "-1", "1##", "1a"});
}

}  // namespace
}  // namespace confab::engine
