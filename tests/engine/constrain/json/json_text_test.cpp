// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace confab::engine {
namespace {

class JsonTextTest : public testing::Test {
 protected:
  void expect(RegexId id, std::initializer_list<std::string> accepted,
              std::initializer_list<std::string> refused) {
    for (const std::string& text : accepted) EXPECT_TRUE(r.matches(id, text)) << text;
    for (const std::string& text : refused) EXPECT_FALSE(r.matches(id, text)) << text;
  }
  RegexSet r;
};

TEST_F(JsonTextTest, SpaceIsThatOfPeopleAndHasAnEnd) {
  expect(json_space(r), {"", " ", "\n", "\n  ", "\r\n\t", "\n" + std::string(64, ' ')},
         {"  ", "\t", "\n\n", " \n", "\n" + std::string(65, ' '), "\r", "x"});
}

TEST_F(JsonTextTest, StringsInEveryWayAndInOne) {
  expect(any_string(r), {R"("")", R"("a")", R"("\u0041\n\/")", "\"é😀\""},
         {"", "\"", "a", "\"a", "\"a\"\"", "\"\n\"", R"("\")", "\"\x80\"", R"("\uD83D")"});
  expect(plain_string(r), {R"("")", R"("a")", R"("\n\"\\\u0001")", "\"é😀/\""},
         {R"("\u0041")", R"("\/")", R"("\u000a")", "\"\n\""});
}

// Whatever the text, its own spelling is the one that JSON's writers have.
TEST_F(JsonTextTest, LiteralsAreWrittenAsWritersDo) {
  for (const std::string text :
       {"", "a", "a\"b\\c\n\r\t\b\f", "é😀", "\x01\x1F/\x7F", "</script>"}) {
    const std::string written = nlohmann::json(text).dump();
    EXPECT_TRUE(r.matches(string_literal(r, text), written)) << written;
    EXPECT_FALSE(r.matches(string_literal(r, text), nlohmann::json(text + "x").dump()));
    EXPECT_TRUE(r.is_empty(r.both({string_literal(r, text), r.negation(plain_string(r))})));
  }
}

TEST_F(JsonTextTest, LengthsAreOfCharactersNotOfBytes) {
  const RegexId two_to_three = string_of_length(r, 2, 3);
  expect(two_to_three, {R"("ab")", "\"éé\"", "\"😀😀😀\"", R"("\n\u0041")", R"("\uD83D\uDE00x")"},
         {R"("a")", R"("abcd")", "\"😀\"", R"("\n")", R"("\uD83D\uDE00")"});
  expect(string_of_length(r, 0, 0), {R"("")"}, {R"("a")"});
  expect(string_of_length(r, 5, RegexSet::kNoLimit), {R"("abcde")", R"("abcdefghij")"},
         {R"("abcd")"});
}

}  // namespace
}  // namespace confab::engine
