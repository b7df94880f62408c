// SPDX-License-Identifier: MIT
#include "engine/safetensors/pre_tokenizer_name.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/text/pre_tokenizer.h"

namespace confab::engine {
namespace {

PreTokenizerName name_of(const nlohmann::json& pre_tokenizer, bool ignore_merges) {
  return name_pre_tokenizer(base::Json::parse(pre_tokenizer.dump()), ignore_merges);
}

// As the tokenizer.json files of Llama 3 and Qwen 2 have it.
nlohmann::json split(const std::string& regex) {
  return {{"type", "Sequence"},
          {"pretokenizers",
           {{{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}},
            {{"type", "ByteLevel"}, {"use_regex", false}}}}};
}

constexpr const char* kLlama3 =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr const char* kQwen2 =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
    "?[^\\s\\p{L}\\p{N}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

TEST(PreTokenizerNameTest, KnowsTheRulesByTheirExpressions) {
  EXPECT_EQ(name_of(split(kLlama3), true).name, "llama-bpe");
  EXPECT_EQ(name_of(split(kLlama3), false).name, "smaug-bpe");
  EXPECT_EQ(name_of(split(kQwen2), false).name, "qwen2");
  EXPECT_EQ(name_of({{"type", "ByteLevel"}}, false).name, "gpt-2");
  const nlohmann::json digits = {{"type", "Sequence"},
                                 {"pretokenizers",
                                  {{{"type", "Digits"}, {"individual_digits", true}},
                                   {{"type", "ByteLevel"}, {"use_regex", true}}}}};
  EXPECT_EQ(name_of(digits, false).name, "smollm");
  for (const char* name : {"llama-bpe", "smaug-bpe", "qwen2", "gpt-2", "smollm", "qwen35",
                           "deepseek-llm", "deepseek-coder", "deepseek-v3", "tekken", "gpt-4o"})
    EXPECT_NE(find_pre_tokenizer(name), nullptr) << name;
}

// Splits, one after the other.
nlohmann::json splits(const std::vector<std::string>& regexes, bool digits) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& regex : regexes)
    all.push_back({{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}});
  if (digits) all.push_back({{"type", "Digits"}, {"individual_digits", true}});
  all.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}});
  return {{"type", "Sequence"}, {"pretokenizers", all}};
}

// As the files of DeepSeek-V2-Lite have them, and those of DeepSeek Coder.
TEST(PreTokenizerNameTest, KnowsTheRulesOfDeepSeeksFirstModels) {
  const std::string signs = "\\s?[!-/:-~！-／：-～‘-‟　-。]+", han = "[一-龥ࠀ-一가-퟿]+";
  const auto v2 = [&](const std::string& letters) {
    return name_of(splits({"[\r\n]", "\\s?[" + letters + "]+", signs, "\\s+$", han}, true), false)
        .name;
  };
  EXPECT_EQ(v2("A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓὟ-\u1f7dᾀ-ᾴ𑢠-𑣟𞤀-𞥃"),
            "deepseek-llm");
  EXPECT_EQ(v2("A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓὟ-ώᾀ-ᾴ𑢠-𑣟𞤀-𞥃"), "deepseek-llm")
      << "normalised";
  EXPECT_EQ(v2("A-Za-z"), "");
  const nlohmann::json coder = splits({"[\r\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", han}, true);
  EXPECT_EQ(name_of(coder, false).name, "deepseek-coder");
  EXPECT_EQ(name_of(splits({"[\r\n]", "\\s?\\p{L}+", han}, true), false).name, "");
}

TEST(PreTokenizerNameTest, KnowsTheRuleOfDeepSeekV3) {
  const std::vector<std::string> steps = {
      "\\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
      "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?"
      "[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};
  EXPECT_EQ(name_of(splits(steps, false), false).name, "deepseek-v3");
}

TEST(PreTokenizerNameTest, OthersHaveNoName) {
  EXPECT_EQ(name_of(split("\\p{L}+"), false).name, "");
  EXPECT_EQ(name_of(split("\\p{L}+"), false).steps, " \\p{L}+ bytes");
  EXPECT_EQ(name_of({{"type", "Whitespace"}}, false).steps, " Whitespace");
  EXPECT_EQ(name_of(nlohmann::json(7), false).name, "");
  nlohmann::json deep = {{"type", "ByteLevel"}};
  for (int i = 0; i < 40; ++i) deep = {{"type", "Sequence"}, {"pretokenizers", {deep}}};
  EXPECT_EQ(name_of(deep, false).name, "");
}

}  // namespace
}  // namespace confab::engine
