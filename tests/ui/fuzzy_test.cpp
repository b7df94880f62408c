// SPDX-License-Identifier: MIT
#include "ui/fuzzy.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::ui {
namespace {

int score(std::string_view text, std::string_view query) {
  const auto match = fuzzy_match(text, query);
  return match ? match->score : -1;
}

// The text with what matched in brackets.
std::string marked(const std::string& text, std::string_view query) {
  const auto match = fuzzy_match(text, query);
  if (!match) return "no match";
  std::string out = text;
  for (auto at = match->at.rbegin(); at != match->at.rend(); ++at) {
    out.insert(*at + 1, "]");
    out.insert(*at, "[");
  }
  return out;
}

TEST(FuzzyTest, LettersInOrderMatchWithOthersBetween) {
  EXPECT_TRUE(fuzzy_match("Prefill speed of the cache", "pfc"));
  EXPECT_FALSE(fuzzy_match("Prefill speed", "dp"));
  EXPECT_FALSE(fuzzy_match("", "a"));
  EXPECT_TRUE(fuzzy_match("anything", ""));
  EXPECT_TRUE(fuzzy_match("", ""));
}

TEST(FuzzyTest, MarksWordBeginningsRatherThanTheFirstLetters) {
  EXPECT_EQ(marked("a cat sat", "s"), "a cat [s]at");
  EXPECT_EQ(marked("release notes", "ns"), "release [n]ote[s]");
  EXPECT_EQ(marked("toArrayList", "al"), "to[A]rray[L]ist");
  EXPECT_EQ(marked("banana ban", "ban"), "[b][a][n]ana ban");
}

TEST(FuzzyTest, NeighboursAndWordBeginningsScoreMore) {
  EXPECT_GT(score("kv cache", "cache"), score("c a c h e", "cache"));
  EXPECT_GT(score("git commit", "gc"), score("magic", "gc"));
  EXPECT_GT(score("a.b", "b"), score("ab", "b"));
}

TEST(FuzzyTest, AllWordsOfTheQueryMustMatchInAnyOrder) {
  EXPECT_TRUE(fuzzy_match("the cache of the prefill", "prefill cache"));
  EXPECT_FALSE(fuzzy_match("the cache of the prefill", "prefill disk"));
  EXPECT_TRUE(fuzzy_match("abc", "  b  "));
}

TEST(FuzzyTest, LowerCaseStandsForBothAndUpperForItself) {
  EXPECT_TRUE(fuzzy_match("README", "readme"));
  EXPECT_FALSE(fuzzy_match("readme", "README"));
  EXPECT_TRUE(fuzzy_match("Überblick", "über"));
}

TEST(FuzzyTest, OffsetsAreOfWholeCharacters) {
  const auto match = fuzzy_match("é日本", "本");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->at, (std::vector<std::size_t>{5}));
}

TEST(FuzzyTest, MalformedAndHugeTextsAreBounded) {
  EXPECT_TRUE(
      fuzzy_match("\xff\xfe"
                  "a",
                  "a"));
  EXPECT_FALSE(fuzzy_match(std::string(1 << 20, 'a') + "b", "b"));
  EXPECT_TRUE(fuzzy_match(std::string(1000, 'a'), std::string(1000, 'a')));
}

}  // namespace
}  // namespace confab::ui
