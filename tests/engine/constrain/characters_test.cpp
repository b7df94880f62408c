// SPDX-License-Identifier: MIT
// Sets of characters against a count of all there are, and their bytes against UTF-8 and JSON.
#include "engine/constrain/characters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "engine/utf8.h"

namespace confab::engine {
namespace {

constexpr char32_t kLast = 0x10FFFF;

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDFFF;
}
bool has(const CharacterSet& set, char32_t c) {
  for (const auto& [first, last] : set.ranges())
    if (c >= first && c <= last) return true;
  return false;
}
std::string utf8(char32_t c) {
  std::string bytes;
  append_utf8(bytes, c);
  return bytes;
}
// The borders of UTF-8's lengths, of the surrogates and of what JSON escapes, and some between.
std::vector<char32_t> sampled() {
  std::vector<char32_t> all;
  for (char32_t c = 0; c < 0x900; ++c) all.push_back(c);
  for (char32_t c = 0x900; c <= kLast; c += 251) all.push_back(c);
  for (const char32_t border :
       {0x1000U, 0xD800U, 0xE000U, 0x10000U, 0x40000U, 0x100000U, 0x110000U})
    for (char32_t c = border - 66; c < border + 66 && c <= kLast; ++c) all.push_back(c);
  std::erase_if(all, is_surrogate);
  return all;
}

TEST(CharactersTest, RangesAreSortedApartAndWithoutSurrogates) {
  CharacterSet set{{'m', 'p'}, {'a', 'c'}, {'d', 'f'}, {'o', 'z'}};
  EXPECT_EQ(set.ranges(), (std::vector<CharacterSet::Range>{{'a', 'f'}, {'m', 'z'}}));
  set = {{0xD000, 0xE100}};
  EXPECT_EQ(set.ranges(), (std::vector<CharacterSet::Range>{{0xD000, 0xD7FF}, {0xE000, 0xE100}}));
  set = {{0xD800, 0xDFFF}};
  EXPECT_TRUE(set.ranges().empty());
  EXPECT_EQ(set.complement().complement().ranges(), set.ranges());
}

TEST(CharactersTest, AComplementHasAllOthers) {
  std::mt19937 rng(5);
  for (int i = 0; i < 50; ++i) {
    CharacterSet set;
    for (int n = 0; n < i % 7; ++n) {
      const auto first = static_cast<char32_t>(rng() % 0x110000);
      const auto n_more = static_cast<char32_t>(rng() >> (12 + rng() % 20));
      set.add(first, std::min<char32_t>(kLast, first + n_more));
    }
    const CharacterSet rest = set.complement();
    for (const char32_t c : sampled()) ASSERT_NE(has(set, c), has(rest, c)) << +c;
    EXPECT_FALSE(has(rest, 0xD900));
  }
}

TEST(CharactersTest, PropertiesAreThoseOfUnicode) {
  const auto letters = unicode_property("L"), greek = unicode_property("Greek");
  ASSERT_TRUE(letters && greek);
  for (const char32_t c : {U'a', U'Z', U'é', U'中', U'Ω'}) EXPECT_TRUE(has(*letters, c));
  for (const char32_t c : {U'1', U' ', U'€', U'\0'}) EXPECT_FALSE(has(*letters, c));
  EXPECT_TRUE(has(*greek, U'Ω') && !has(*greek, U'a'));
  EXPECT_FALSE(unicode_property("Nonsense"));
}

// Every sampled character is accepted or refused as the set says, and nothing that is not UTF-8.
TEST(CharactersTest, BytesAreThoseOfTheRangesAndOfNoOthers) {
  std::mt19937 rng(7);
  RegexSet r;
  const std::vector<char32_t> all = sampled();
  for (int i = 0; i < 60; ++i) {
    char32_t first = all[rng() % all.size()], last = all[rng() % all.size()];
    if (last < first) std::swap(first, last);
    const CharacterSet set{{first, last}};
    const RegexId id = characters(r, set, TextForm::plain);
    for (const char32_t c : all)
      ASSERT_EQ(r.matches(id, utf8(c)), c >= first && c <= last)
          << +first << " " << +last << " " << +c;
  }
  const RegexId any = characters(r, CharacterSet().complement(), TextForm::plain);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",
                          "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
                          "\xF8\x88\x80\x80", "\xFF", "\xC3", "a\x80"})
    EXPECT_FALSE(r.matches(any, bad));
}

TEST(CharactersTest, InJsonTheyAreEscapedWhereTheyMustBe) {
  RegexSet r;
  const RegexId any = json_plain_character(r);
  for (const char32_t c : sampled()) {
    const std::string written = nlohmann::json(utf8(c)).dump();
    const std::string inside = written.substr(1, written.size() - 2);
    EXPECT_TRUE(r.matches(any, inside)) << +c;
    EXPECT_TRUE(r.matches(characters(r, {{c, c}}, TextForm::json), inside)) << +c;
    EXPECT_TRUE(r.matches(text_literal(r, utf8(c) + "z", TextForm::json), inside + "z")) << +c;
    EXPECT_EQ(r.matches(any, utf8(c)), inside == utf8(c)) << +c;
  }
  EXPECT_TRUE(r.matches(any, "\\u000B") && r.matches(any, "\\u000b"));
  EXPECT_FALSE(r.matches(any, "\\u0041")) << "an escape that is not needed";
  EXPECT_FALSE(r.matches(any, "\\/"));
}

TEST(CharactersTest, EveryEscapeThatJsonHasIsACharacter) {
  RegexSet r;
  const RegexId any = json_character(r);
  for (const char* escape : {"\\n", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\r", "\\t", "\\u0041",
                             "\\uD7FF", "\\ue000", "\\uD83D\\uDe00", "é", "😀", "/"})
    EXPECT_TRUE(r.matches(any, escape)) << escape;
  for (const char* bad : {"\\", "\\a", "\\u", "\\u123", "\\u12345", "\\uD83D", "\\uDE00",
                          "\\uDE00\\uD83D", "\\uD83D\\u0041", "\\x41", "\"", "\n", "ab", ""})
    EXPECT_FALSE(r.matches(any, bad)) << bad;
  // All code units by number: the lone surrogates are refused and nothing else.
  for (unsigned unit = 0; unit < 0x10000; unit += 37)
    EXPECT_EQ(r.matches(any, fmt::format("\\u{:04x}", unit)), !is_surrogate(unit)) << unit;
}

TEST(CharactersTest, TextsKeepTheirBytes) {
  RegexSet r;
  EXPECT_TRUE(r.matches(text_literal(r, "a\"b\né", TextForm::plain), "a\"b\né"));
  EXPECT_TRUE(r.matches(text_literal(r, "a\"b\né", TextForm::json), "a\\\"b\\né"));
  EXPECT_FALSE(r.matches(text_literal(r, "a\"", TextForm::json), "a\""));
}

}  // namespace
}  // namespace confab::engine
