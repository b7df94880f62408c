// SPDX-License-Identifier: MIT
#include "engine/text/spaced_words.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace confab::engine {
namespace {

using testing::ElementsAre;

std::vector<std::string> words_of(std::string_view text, WordBorders borders = {}) {
  std::vector<std::string> words;
  for_each_word(text, borders, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(SpacedWordsTest, WordsBeginWithTheirSpacesAndEndAtLines) {
  EXPECT_THAT(words_of(""), ElementsAre());
  EXPECT_THAT(words_of("a  b"), ElementsAre("a", "  b"));
  EXPECT_THAT(words_of("  a \n\n b "), ElementsAre("  a", " ", "\n\n", " b", " "));
  EXPECT_THAT(words_of("\n\na\n"), ElementsAre("\n\n", "a", "\n"));
  EXPECT_THAT(words_of("   "), ElementsAre("   "));
}

TEST(SpacedWordsTest, OnlyWhereTheVocabularyAllowsIt) {
  WordBorders borders;
  borders.add("\u2581the", "\u2581");
  borders.add("\u2581\u2581", "\u2581");
  borders.add("\n\n", "\u2581");
  EXPECT_TRUE(borders.at_spaces && borders.at_lines);
  borders.add(";\n", "\u2581");
  EXPECT_FALSE(borders.at_lines);
  EXPECT_THAT(words_of("a\nb c", borders), ElementsAre("a\nb", " c"));
  borders.add("of\u2581the", "\u2581");
  EXPECT_FALSE(borders.at_spaces);
  EXPECT_THAT(words_of("a\nb c", borders), ElementsAre("a\nb c"));
}

}  // namespace
}  // namespace confab::engine
