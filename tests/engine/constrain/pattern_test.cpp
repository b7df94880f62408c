// SPDX-License-Identifier: MIT
// Expressions as ECMA-262 has them, against the standard library's, and as JSON Schema uses them.
#include "engine/constrain/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "tests/engine/constrain/pattern_cases.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

// In ASCII, where std::regex and the flag u agree.
constexpr const char* kPatterns[] = {"a|b",
                                     "ab|cd|",
                                     "(ab)*c",
                                     "a+b?c*",
                                     "a{2}",
                                     "a{2,}b{0,2}",
                                     "(?:a|bc)+",
                                     "[a-c]+[^a-c]?",
                                     "(a|b)*abb",
                                     "((a)(b)?)+",
                                     "a*?b+?",
                                     ".*c.*",
                                     "(a*)*b",
                                     "(|a)b",
                                     "a||b",
                                     "[ab]{3}|c{1,4}",
                                     "\\w+\\d?",
                                     "(?:)",
                                     "",
                                     "a(bc|cb)?d*",
                                     "(?=ab)a.*",
                                     "(?!ab)[abc]*",
                                     "[^b]*b[^b]*",
                                     "(a{1,2}){2}",
                                     "(ab?){2,3}",
                                     "b{0}a",
                                     "a{0,1}b{1}",
                                     "(?=a)(?!ab)[abc]+",
                                     "a-b|b-a",
                                     "a.c"};

std::vector<std::string> texts() {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size() && all[i].size() < 5; ++i)
    for (const char c : std::string_view("abcd")) all.push_back(all[i] + c);
  for (const char* more : {"a1", "_9", "a-b", "b-a", "abababababc", "aaaaaaaaaab", "a\nc", "a c"})
    all.emplace_back(more);
  return all;
}

TEST(PatternTest, WholeTextsMatchAsTheStandardLibraryHasIt) {
  for (const char* pattern : kPatterns) {
    RegexSet r;
    const RegexId id = parse_pattern(r, pattern);
    const std::regex standard(pattern, std::regex::ECMAScript);
    for (const std::string& text : texts())
      ASSERT_EQ(r.matches(id, text), std::regex_match(text, standard)) << pattern << " " << text;
  }
}

// In a schema a pattern is sought anywhere; anchors hold it.
TEST(PatternTest, JsonStringsMatchWhereTheStandardLibraryFindsSomething) {
  std::vector<std::string> patterns{
      "^a",          "b$",        "^a|b$", "^(a|bc)+$", "(^a|b)c", "a(b$|c)",     "^$",
      "$^",          "^",         "$",     "a$b",       "a^b",     "(^|b)a($|c)", "^(?!ab)",
      "^(?!.*c).*$", "(^a)|(b$)", "^^a$$", "(?=c)",     "^a(?!b)", "^(a(b|$))+$", "^(^a|b)"};
  patterns.insert(patterns.end(), std::begin(kPatterns), std::end(kPatterns));
  for (const std::string& pattern : patterns) {
    RegexSet r;
    const RegexId id = parse_json_pattern(r, pattern);
    const std::regex standard(pattern, std::regex::ECMAScript);
    for (const std::string& text : texts())
      ASSERT_EQ(r.matches(id, nlohmann::json(text).dump()), std::regex_search(text, standard))
          << pattern << " " << text;
  }
}

// Random expressions of letters, groups and repetitions.
std::string random_pattern(std::mt19937& rng, int depth) {
  if (depth == 0) return std::string(1, "abcd."[rng() % 5]);
  std::string text;
  for (auto n = 1 + rng() % 3; n > 0; --n) {
    const std::string one = random_pattern(rng, depth - 1);
    const char* times[] = {"", "", "", "*", "+", "?", "{2}", "{1,2}"};
    text += (rng() % 3 == 0 ? one + "|" : "(" + one + ")" + times[rng() % 8]);
  }
  return text;
}

TEST(PatternTest, RandomExpressionsMatchAsTheStandardLibraryHasIt) {
  std::mt19937 rng(20261123);
  for (int i = 0; i < 60; ++i) {
    const std::string pattern = random_pattern(rng, 2);
    RegexSet r;
    const RegexId id = parse_pattern(r, pattern);
    const std::regex standard(pattern, std::regex::ECMAScript);
    for (const std::string& text : texts())
      ASSERT_EQ(r.matches(id, text), std::regex_match(text, standard)) << pattern << " " << text;
  }
}

TEST(PatternTest, GroupsAndRepetitions) {
  check_pattern({"(?<year>\\d{4})-(?P<month>\\d\\d)", {"2026-11"}, {"2026-1"}});
  check_pattern({"^abc$", {"abc"}, {"^abc$", "ab"}});
  check_pattern({"a{", {"a{"}, {"a"}});
  check_pattern({"a{,3}", {"a{,3}"}, {"a", "aaa"}});
  check_pattern(
      {"a{1000}", {std::string(1000, 'a')}, {std::string(999, 'a'), std::string(1001, 'a')}});
  check_pattern({"(?:é|😀)+", {"é😀é"}, {"e"}});
}

TEST(PatternTest, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"a)", "regular expression 'a)': at character 2: ')' without '('"},
      {"(a", "regular expression '(a': at character 3: '(' without ')'"},
      {"*a", "regular expression '*a': at character 1: nothing before '*' that it could repeat"},
      {"a|+", "regular expression 'a|+': at character 3: nothing before '+' that it could repeat"},
      {"(?<=a)b", "looking behind is not supported"},
      {"(?<!a)b", "looking behind is not supported"},
      {"(?i)b", "a group that is not supported"},
      {"(?<n", "a group's name without '>'"},
      {"(a(?=b))", "looking ahead inside a group is not supported"},
      {"a{3,2}", "the numbers in {} are out of order"},
      {"a{100001}", "a number greater than 100000"},
      {"a^b", "^ or $ inside is not supported"},
      {"(a$)b", "^ or $ inside is not supported"},
      {"\xFF", "it is not UTF-8"},
  };
  for (const auto& [pattern, fault] : cases) {
    RegexSet r;
    EXPECT_THAT(error_of([&] { parse_pattern(r, pattern); }), testing::EndsWith(fault)) << pattern;
  }
  RegexSet r;
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += '(';
  EXPECT_THAT(error_of([&] { parse_pattern(r, deep); }),
              testing::EndsWith("groups are nested too deeply"));
  EXPECT_EQ(error_of([&] { parse_pattern(r, "a" + std::string(100'000, '+')); }), "");
  std::string stacked = "a";
  for (int i = 0; i < 10'000; ++i) stacked += "{2}";
  EXPECT_THAT(error_of([&] { parse_pattern(r, stacked); }),
              testing::EndsWith("repetitions and alternatives are nested too deeply"));
}

TEST(PatternTest, LongTextsWithOneBeginning) {
  const std::string long_text(30'000, 'a');
  check_pattern({long_text + "x|" + long_text + "y",
                 {long_text + "x", long_text + "y"},
                 {long_text, long_text + "z"}});
}

TEST(PatternTest, InJsonWhatMustBeEscapedIs) {
  check_pattern({"^[\\s\\S]$",
                 {R"("a")", R"("\n")", R"("\"")", R"("\\")", R"("\u0001")", "\"é\""},
                 {"\"\n\"", R"(""")", R"("ab")", R"("\u0041")", "a", R"("")"}},
                parse_json_pattern);
  check_pattern({"^a\"b\\\\$", {R"("a\"b\\")"}, {R"("a"b\\")"}}, parse_json_pattern);
  check_pattern({"\\n", {R"("a\nb")"}, {R"("anb")", "\"a\nb\""}}, parse_json_pattern);
  check_pattern({"", {R"("")", R"("x")"}, {"", "\""}}, parse_json_pattern);
}

TEST(PatternTest, LookingAheadInJson) {
  check_pattern({"^(?=.*\\d)(?=.*[a-z]).{3,}$",
                 {R"("ab1")", R"("1aa")"},
                 {R"("abc")", R"("123")", R"("a1")"}},
                parse_json_pattern);
  check_pattern({"^(?!no$).*$", {R"("nope")", R"("")"}, {R"("no")"}}, parse_json_pattern);
}

}  // namespace
}  // namespace confab::engine
