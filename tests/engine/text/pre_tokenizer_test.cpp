// SPDX-License-Identifier: MIT
#include "engine/text/pre_tokenizer.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "engine/text/tokenizer.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;

std::vector<std::string> words_of(std::string_view rule, std::string_view text) {
  std::vector<std::string_view> words;
  pre_tokenize(*find_pre_tokenizer(rule), text, words);
  return {words.begin(), words.end()};
}

TEST(PreTokenizerTest, WordsOfTheCommonRules) {
  const std::string text = "I'Ll pay $1234  now\n\n";
  EXPECT_THAT(words_of("llama-bpe", text),
              ElementsAre("I", "'Ll", " pay", " $", "123", "4", " ", " now", "\n\n"));
  EXPECT_THAT(words_of("qwen2", text),
              ElementsAre("I", "'Ll", " pay", " $", "1", "2", "3", "4", " ", " now", "\n\n"));
  EXPECT_THAT(words_of("gpt-2", text),
              ElementsAre("I", "'", "Ll", " pay", " $", "1234", " ", " now", "\n\n"));
  EXPECT_THAT(words_of("tekken", "HelloWORLDagain"), ElementsAre("Hello", "WORLDagain"));
}

TEST(PreTokenizerTest, LaterStagesCutWhatEarlierOnesLeft) {
  EXPECT_THAT(words_of("smollm", "ab 12"), ElementsAre("ab", " ", "1", "2"));
  EXPECT_THAT(words_of("default", "a==12345"), ElementsAre("a", "==", "123", "45"));
  EXPECT_THAT(words_of("deepseek-v3", "中文abc"), ElementsAre("中文", "abc"));
}

TEST(PreTokenizerTest, RulesOfScriptsWithoutSpacesAndOfDigits) {
  EXPECT_THAT(words_of("deepseek-llm", "Жx 中文!12 "),
              ElementsAre("Ж", "x", " ", "中文", "!", "12", " "));
  EXPECT_THAT(words_of("deepseek-coder", "\u2028中"), ElementsAre("\u2028", "中"));
  EXPECT_THAT(words_of("superbpe", "of 1234567"), ElementsAre("of ", "1", "234", "567"));
  EXPECT_THAT(words_of("tiny_aya", "a 1234"), ElementsAre("a", " ", "1", "234"));
  EXPECT_THAT(words_of("kimi-k2", "abc中文's"), ElementsAre("abc", "中文", "'s"));
  EXPECT_THAT(words_of("viking", "one, 12"), ElementsAre("one", ",", " ", "1", "2"));
  EXPECT_THAT(words_of("exaone-moe", "two words 1"), ElementsAre("two words", " ", "1"));
  EXPECT_THAT(words_of("chameleon", "a    <sentinel:7>"),
              ElementsAre("a", "    ", "<", "sentinel", ":", "7", ">"));
  EXPECT_THAT(words_of("jais-2", "a       b"), ElementsAre("a", "    ", "  ", " b"));
  EXPECT_THAT(words_of("gemma4", "a b\n\nc"), ElementsAre("a b", "\n\n", "c"));
  EXPECT_TRUE(find_pre_tokenizer("gemma4")->plain_text);
  EXPECT_FALSE(find_pre_tokenizer("sarvam-moe")->gemma4);
}

TEST(PreTokenizerTest, AbsentMeansDefaultAndUnknownIsUnknown) {
  EXPECT_EQ(find_pre_tokenizer(std::nullopt)->name, "default");
  EXPECT_EQ(find_pre_tokenizer("")->name, "default");
  EXPECT_EQ(find_pre_tokenizer("no-such-rule"), nullptr);
  EXPECT_THAT(known_pre_tokenizers(), testing::HasSubstr("gpt-2, gpt-4o"));
}

TEST(PreTokenizerTest, WordsMakeUpTheTextUnderEveryRule) {
  std::mt19937 rng(20250611);
  std::string names = known_pre_tokenizers() + ", ";
  int n_rules = 0;
  for (std::size_t comma = 0; (comma = names.find(", ")) != names.npos; ++n_rules) {
    const std::string name = names.substr(0, comma);
    names.erase(0, comma + 2);
    for (int i = 0; i < 100; ++i) {
      const std::string text = random_text(rng, 60);
      std::string joined;
      for (const std::string& word : words_of(name, text)) {
        EXPECT_FALSE(word.empty());
        joined += word;
      }
      ASSERT_EQ(joined, text) << name;
    }
  }
  EXPECT_GT(n_rules, 30);
}

// Every rule, in a vocabulary that shows where words begin.
TEST(PreTokenizerFidelityTest, EqualsTheReference) {
  std::ifstream file(CONFAB_SOURCE_DIR "/tests/data/pre_tokenizers.json");
  const auto vectors = nlohmann::json::parse(file);
  int n_names = 0;
  for (const auto& rule : vectors["rules"]) {
    for (const std::string name : rule["pre"]) {
      const auto tokenizer = Tokenizer::load(*WrittenGguf(pair_vocabulary(name)));
      for (std::size_t i = 0; i < vectors["texts"].size(); ++i) {
        const std::string text = vectors["texts"][i];
        EXPECT_EQ(nlohmann::json(tokenizer->encode(text, false)), rule["ids"][i])
            << name << ": " << text;
      }
      ++n_names;
    }
  }
  EXPECT_EQ(n_names, 80);
}

using Parts = std::vector<std::string_view>;

Parts by_threes(std::string_view piece) {
  Parts parts;
  split_digits_by_threes(piece, parts);
  return parts;
}

Parts before_threes(std::string_view piece) {
  Parts parts;
  split_before_digits_by_threes(piece, parts);
  return parts;
}

Parts last_spaces(std::string_view piece) {
  Parts parts;
  split_off_last_spaces(piece, parts);
  return parts;
}

TEST(PreSplittersTest, DigitsByThreesFromTheEnd) {
  EXPECT_THAT(by_threes("12"), ElementsAre("12"));
  EXPECT_THAT(by_threes("123"), ElementsAre("123"));
  EXPECT_THAT(by_threes("1234567"), ElementsAre("1", "234", "567"));
  // Only ASCII digits count.
  EXPECT_THAT(by_threes("1234٣"), ElementsAre("1", "234٣"));
  EXPECT_THAT(by_threes("٣12"), ElementsAre("٣12"));
  EXPECT_THAT(by_threes("٣123"), ElementsAre("٣", "123"));
}

TEST(PreSplittersTest, WhatStandsBeforeDigitsStaysWithTheFirstOfThem) {
  EXPECT_THAT(before_threes("abc"), ElementsAre("abc"));
  EXPECT_THAT(before_threes("abc1234567x"), ElementsAre("abc1", "234", "567", "x"));
  EXPECT_THAT(before_threes("  123 45"), ElementsAre("  123", " 45"));
  EXPECT_THAT(before_threes("٣٤٥٦"), ElementsAre("٣", "٤٥٦"));
}

TEST(PreSplittersTest, LastSpaces) {
  EXPECT_THAT(last_spaces("a b"), ElementsAre("a b"));
  EXPECT_THAT(last_spaces("a b \n\u3000"), ElementsAre("a b", " \n\u3000"));
  EXPECT_THAT(last_spaces(" \t"), ElementsAre(" \t"));
}

TEST(PreSplittersTest, ALongRunIsCutInLinearTime) {
  EXPECT_EQ(by_threes(std::string(3'000'000, '7')).size(), 1'000'000U);
  EXPECT_EQ(before_threes(std::string(3'000'000, '7')).size(), 1'000'000U);
  EXPECT_EQ(last_spaces(std::string(3'000'000, ' ') + "x").size(), 1U);
}

}  // namespace
}  // namespace confab::engine
