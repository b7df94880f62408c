// SPDX-License-Identifier: MIT
#include "engine/text/pre_matchers.h"

#include "tests/engine/text/matcher_cases.h"

namespace confab::engine {
namespace {

const MatcherCase kCases[] = {
    {"number", match_number, "\\p{N}"},
    {"numbers", match_numbers, "\\p{N}+"},
    {"numbers_3", match_numbers_3, "\\p{N}{1,3}"},
    {"ascii_digits_3", match_ascii_digits_3, "[0-9][0-9][0-9]"},
    {"line_break", match_line_break, "[\\r\\n]"},
    {"space_letters", match_space_letters, "\\s?\\p{L}+"},
    {"space_punctuation", match_space_punctuation, "\\s?\\p{P}+"},
    {"punctuation", match_punctuation, "[\\p{P}$+<=>^~|]+"},
    {"falcon_punctuation", match_falcon_punctuation, "[\\p{P}$+<=>^~|`]+"},
    {"han_kana", match_han_kana, "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{30FF}]+"},
    {"east_asian", match_east_asian, "(?:(?!\\s)[\\x{0800}-\\x{9FA5}\\x{AC00}-\\x{D7FF}])+"},
    {"line", match_line, "[^\\n]+|[\\n]+"},
    // Of the alphabet of random_text() these are the cased letters.
    {"space_cased_letters", match_space_cased_letters, "\\s?[A-Za-zßÀéЖж]+"},
    {"space_signs", match_space_signs, "\\s?[!-/:-~，、。“”]+"},
    {"bloom", match_bloom, " ?[^(\\s|.,!?…。，、।۔،)]+"},
    {"youtu_scripts", match_youtu_scripts,
     "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥ぁ-ヿ]"
     "+"},
    {"afmoe_scripts", match_afmoe_scripts, "[\\x{8C48}-\\x{FAFF}一-鿿㐀-䶿ぁ-ヿ]+"},
    {"sentinel", match_sentinel, "<sentinel:[0-9]+>"},
    {"image", match_image, "IMGIMG[A-I]{1,4}Z"},
    {"indent", match_indent, "[\\t\\n]|    |  "},
    {"one_punctuation", match_one_punctuation, "[\\p{P}!-/:-@\\[-`{-~]"},
};

class PreSetsTest : public testing::TestWithParam<MatcherCase> {};

TEST_P(PreSetsTest, EqualsItsExpressionOnRandomText) {
  expect_equals_its_expression(GetParam());
}

TEST_P(PreSetsTest, EqualsItsExpressionOnTextsMadeForThem) {
  const Regex regex(GetParam().pattern);
  for (const std::string text :
       {"<sentinel:12><sentinel:><sentinel:1<x", "IMGIMGABCDZ IMGIMGABCDEZ IMGIMGZ IMGIMGAB",
        "a   b     c\t\n    ", "ㄱㄴ가나ㄅㄆ…“x”，、。中文かな", "one, two. three! four| (five)"}) {
    expect_equal_matches(GetParam(), text, regex);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PreSetsTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

std::size_t n_matched(PreMatcher match, const std::string& text) {
  return static_cast<std::size_t>(match(text.data(), text.data() + text.size()) - text.data());
}

TEST(PreSetsTest, Jais2CutsSpacesInPowersOfTwo) {
  EXPECT_EQ(n_matched(match_jais2_spaces, std::string(1000, ' ')), 512U);
  EXPECT_EQ(n_matched(match_jais2_spaces, std::string(511, ' ')), 256U);
  EXPECT_EQ(n_matched(match_jais2_spaces, "       "), 4U);
  EXPECT_EQ(n_matched(match_jais2_spaces, "   "), 2U);
  EXPECT_EQ(n_matched(match_jais2_spaces, " "), 0U);
  EXPECT_EQ(n_matched(match_jais2_spaces, " word"), 0U);
  EXPECT_EQ(n_matched(match_jais2_spaces, "    \n"), 0U);
}

TEST(PreSetsTest, CasedLettersAreRangesOfManyScripts) {
  EXPECT_EQ(n_matched(match_space_cased_letters, "ʓ"), 2U);
  EXPECT_EQ(n_matched(match_space_cased_letters, "ʔ"), 0U);     // the gap between two ranges
  EXPECT_EQ(n_matched(match_space_cased_letters, "𞥃"), 4U);  // the last one
  EXPECT_EQ(n_matched(match_space_cased_letters, "𞥄"), 0U);
  EXPECT_EQ(n_matched(match_space_cased_letters, "@"), 0U);
}

}  // namespace
}  // namespace confab::engine
