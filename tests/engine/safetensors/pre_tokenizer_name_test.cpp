// SPDX-License-Identifier: MIT
#include "engine/safetensors/pre_tokenizer_name.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/text/pre_tokenizer.h"

namespace confab::engine {
namespace {

// As the tokenizer.json files of Llama 3 and Qwen 2 have it.
Json split(const std::string& regex) {
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
  EXPECT_EQ(name_pre_tokenizer(split(kLlama3), true).name, "llama-bpe");
  EXPECT_EQ(name_pre_tokenizer(split(kLlama3), false).name, "smaug-bpe");
  EXPECT_EQ(name_pre_tokenizer(split(kQwen2), false).name, "qwen2");
  EXPECT_EQ(name_pre_tokenizer({{"type", "ByteLevel"}}, false).name, "gpt-2");
  const Json digits = {{"type", "Sequence"},
                       {"pretokenizers",
                        {{{"type", "Digits"}, {"individual_digits", true}},
                         {{"type", "ByteLevel"}, {"use_regex", true}}}}};
  EXPECT_EQ(name_pre_tokenizer(digits, false).name, "smollm");
  for (const char* name : {"llama-bpe", "smaug-bpe", "qwen2", "gpt-2", "smollm", "qwen35",
                           "deepseek-v3", "tekken", "gpt-4o"})
    EXPECT_NE(find_pre_tokenizer(name), nullptr) << name;
}

// Three splits, one after the other, as DeepSeek's files have them.
TEST(PreTokenizerNameTest, KnowsDeepSeeksRuleByItsSteps) {
  Json steps = split("\\p{N}{1,3}");
  Json& all = steps["pretokenizers"];
  const auto add = [&all](const char* regex) {
    const Json step = {{"type", "Split"}, {"pattern", {{"Regex", regex}}}};
    all.insert(all.end() - 1, step);
  };
  add("[一-龥぀-ゟ゠-ヿ]+");
  add("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?"
      "[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+");
  EXPECT_EQ(name_pre_tokenizer(steps, false).name, "deepseek-v3");
}

TEST(PreTokenizerNameTest, OthersHaveNoName) {
  EXPECT_EQ(name_pre_tokenizer(split("\\p{L}+"), false).name, "");
  EXPECT_EQ(name_pre_tokenizer(split("\\p{L}+"), false).steps, " \\p{L}+ bytes");
  EXPECT_EQ(name_pre_tokenizer({{"type", "Whitespace"}}, false).steps, " Whitespace");
  EXPECT_EQ(name_pre_tokenizer(Json(7), false).name, "");
  Json deep = {{"type", "ByteLevel"}};
  for (int i = 0; i < 100; ++i) deep = {{"type", "Sequence"}, {"pretokenizers", {deep}}};
  EXPECT_EQ(name_pre_tokenizer(deep, false).name, "");
}

}  // namespace
}  // namespace confab::engine
