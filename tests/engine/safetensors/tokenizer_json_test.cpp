// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/gguf/gguf.h"
#include "engine/text/pre_tokenizer.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/tiny_folder.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

struct Read {
  TokenizerJson tokenizer;
  Gguf gguf;
};

Read read(const nlohmann::json& json, std::size_t n_vocab) {
  GgufHeader keys(32);
  TokenizerJson tokenizer = add_tokenizer("t.json", base::Json::parse(json.dump()), n_vocab, keys);
  GgufContents contents;
  contents.path = "t";
  contents.metadata = keys.bytes();
  return {std::move(tokenizer), Gguf(std::move(contents))};
}

std::string error(const nlohmann::json& json) {
  return error_of([&] { read(json, 300); });
}

// Merges over characters, with bytes for what is no token, as Llama 2 has them.
nlohmann::json spm_tokenizer() {
  nlohmann::json vocab = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}};
  for (int byte = 0; byte < 256; ++byte) vocab[fmt::format("<0x{:02X}>", byte)] = 3 + byte;
  int id = 259;
  for (const char* text : {"▁", "t", "h", "e", "th", "the", "▁the", "he"}) vocab[text] = id++;
  return {{"model",
           {{"type", "BPE"},
            {"byte_fallback", true},
            {"unk_token", "<unk>"},
            {"vocab", vocab},
            {"merges", {"t h", "h e", "th e", {"▁", "the"}}}}},
          {"normalizer",
           {{"type", "Sequence"},
            {"normalizers",
             {{{"type", "Prepend"}, {"prepend", "▁"}},
              {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}}}}},
          {"added_tokens",
           {{{"id", 0}, {"content", "<unk>"}, {"special", true}},
            {{"id", 1}, {"content", "<s>"}, {"special", true}},
            {{"id", 2}, {"content", "</s>"}, {"special", true}},
            {{"id", 267}, {"content", "▁▁"}, {"special", false}}}}};
}

TEST(TokenizerJsonTest, ByteLevelMergesMayBeTextsOrPairs) {
  nlohmann::json json = tiny_tokenizer();
  const auto want = Tokenizer::load(read(json, 300).gguf);
  nlohmann::json pairs = nlohmann::json::array();
  for (const nlohmann::json& merge : json["model"]["merges"]) {
    const auto text = merge.get<std::string>();
    const auto space = text.find(' ', 1);
    pairs.push_back({text.substr(0, space), text.substr(space + 1)});
  }
  json["model"]["merges"] = pairs;
  const auto got = Tokenizer::load(read(json, 300).gguf);
  const std::string text = "the others and you<|im_end|>";
  EXPECT_EQ(got->encode(text, true), want->encode(text, true));
  EXPECT_LT(got->encode(text, true).size(), text.size() / 2);
}

TEST(TokenizerJsonTest, TokensHaveTheirTypes) {
  nlohmann::json json = tiny_tokenizer();
  json["added_tokens"].push_back({{"id", 300}, {"content", "<think>"}, {"special", false}});
  json["added_tokens"].push_back({{"id", 301}, {"content", "<|tool|>"}, {"special", false}});
  json["added_tokens"].push_back({{"id", 400}, {"content", "beyond"}, {"special", false}});
  const Read found = read(json, 304);
  const auto& types = *found.gguf.find_array<std::int32_t>("tokenizer.ggml.token_type");
  ASSERT_EQ(types.size(), 304U);
  EXPECT_EQ(types[0], 1);
  EXPECT_EQ(types[299], 3);
  EXPECT_EQ(types[300], 4);
  EXPECT_EQ(types[301], 3);
  EXPECT_EQ(types[302], 5);
  EXPECT_EQ(found.tokenizer.tokens[303], "[PAD303]");
  EXPECT_EQ(found.tokenizer.find("<think>"), 300U);
  EXPECT_EQ(found.tokenizer.find("beyond"), std::nullopt);
  EXPECT_EQ(found.tokenizer.find(""), std::nullopt);
}

TEST(TokenizerJsonTest, MergesOfCharactersBecomeScores) {
  const Read found = read(spm_tokenizer(), 268);
  EXPECT_EQ(found.gguf.find_string("tokenizer.ggml.model"), "llama");
  EXPECT_EQ(found.gguf.find_bool("tokenizer.ggml.add_space_prefix"), true);
  const auto& scores = *found.gguf.find_array<float>("tokenizer.ggml.scores");
  EXPECT_EQ(scores[263], 0);   // th
  EXPECT_EQ(scores[265], -3);  // ▁the
  EXPECT_EQ(scores[266], -1);  // he
  const auto& types = *found.gguf.find_array<std::int32_t>("tokenizer.ggml.token_type");
  EXPECT_EQ(types[0], 2);
  EXPECT_EQ(types[1], 3);
  EXPECT_EQ(types[3], 6);
  EXPECT_EQ(types[267], 4);
  EXPECT_EQ(found.tokenizer.tokens[267], "  ");
  const auto tokenizer = Tokenizer::load(found.gguf);
  EXPECT_THAT(tokenizer->encode("the", false), testing::ElementsAre(265));
  EXPECT_THAT(tokenizer->encode("he\n", false), testing::ElementsAre(259, 266, 3 + 10));
}

TEST(TokenizerJsonTest, WhatStandsBeforeAndAfterATextIsFound) {
  nlohmann::json json = tiny_tokenizer();
  EXPECT_EQ(read(json, 300).tokenizer.first, "");
  json["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {{{"type", "ByteLevel"}},
        {{"type", "TemplateProcessing"},
         {"single",
          {{{"SpecialToken", {{"id", "<|im_start|>"}}}}, {{"Sequence", {{"id", "A"}}}}}}}}}};
  EXPECT_EQ(read(json, 300).tokenizer.first, "<|im_start|>");
  EXPECT_EQ(read(json, 300).tokenizer.last, "");
}

TEST(TokenizerJsonTest, OtherKindsAreRefusedByName) {
  const auto with = [](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = tiny_tokenizer();
    json[nlohmann::json::json_pointer(pointer)] = value;
    return error(json);
  };
  EXPECT_THAT(with("/model/type", "Unigram"), HasSubstr("is of type Unigram, expected BPE"));
  EXPECT_THAT(with("/model", nullptr), HasSubstr("\"model\" is missing"));
  EXPECT_THAT(with("/pre_tokenizer/type", "Whitespace"), HasSubstr("works neither on bytes"));
  EXPECT_THAT(with("/normalizer", {{"type", "Lowercase"}}),
              HasSubstr("its normalizer Lowercase is not supported"));
  EXPECT_EQ(with("/normalizer", {{"type", "NFC"}}), "");
  EXPECT_THAT(
      with("/pre_tokenizer", {{"type", "Sequence"},
                              {"pretokenizers", {{{"type", "Strange"}}, {{"type", "ByteLevel"}}}}}),
      HasSubstr("its pre-tokenizer is not known ( Strange gpt2)"));
}

TEST(TokenizerJsonTest, DamageIsRefused) {
  const auto with = [](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = tiny_tokenizer();
    json[nlohmann::json::json_pointer(pointer)] = value;
    return error(json);
  };
  EXPECT_THAT(with("/model/vocab", 7), HasSubstr("\"vocab\" is missing"));
  EXPECT_THAT(with("/model/vocab/x", -1), HasSubstr("the id of token x is -1"));
  EXPECT_THAT(with("/model/merges", 7), HasSubstr("\"merges\" is missing"));
  for (const nlohmann::json& merge :
       {nlohmann::json("ab"), nlohmann::json(7), nlohmann::json::array({"a"}),
        nlohmann::json::array({"", "b"})})
    EXPECT_THAT(with("/model/merges/0", merge), HasSubstr("expected two texts")) << merge;
  EXPECT_THAT(with("/added_tokens", 7), HasSubstr("is not a list"));
  EXPECT_THAT(with("/added_tokens/0", {{"id", 3}}), HasSubstr("without content and id"));
}

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

class TokenizerConfigTest : public testing::Test {
 protected:
  std::string folder() const { return dir_.path().string(); }
  Gguf special(const Json& config = Json::object()) {
    GgufHeader keys(32);
    add_special_tokens(folder(), config, tokenizer_, keys);
    return gguf(keys);
  }
  static Gguf gguf(const GgufHeader& keys) {
    GgufContents contents;
    contents.path = "t";
    contents.metadata = keys.bytes();
    return Gguf(std::move(contents));
  }

  TempDir dir_;
  TokenizerJson tokenizer_{{"a", "<s>", "</s>", "<eot>", "<eom>"}, "", ""};
};

TEST_F(TokenizerConfigTest, TokensAreTextsOrObjectsOrNumbersOfTheModel) {
  dir_.file("tokenizer_config.json", R"({"bos_token":"<s>","eos_token":{"content":"</s>"}})");
  const Gguf named = special({{"bos_token_id", 4}});
  EXPECT_EQ(named.find_int("tokenizer.ggml.bos_token_id"), 1);
  EXPECT_EQ(named.find_int("tokenizer.ggml.eos_token_id"), 2);
  EXPECT_EQ(named.find("tokenizer.ggml.padding_token_id"), nullptr);
  dir_.file("tokenizer_config.json", "{}");
  const Gguf numbered =
      special({{"bos_token_id", 1}, {"eos_token_id", Json::array({3, 2})}, {"pad_token_id", 9}});
  EXPECT_EQ(numbered.find_int("tokenizer.ggml.bos_token_id"), 1);
  EXPECT_EQ(numbered.find_int("tokenizer.ggml.eos_token_id"), 3);
  EXPECT_EQ(*numbered.find_array<std::int32_t>("tokenizer.ggml.eos_token_ids"),
            (std::vector<std::int32_t>{2}));
  EXPECT_EQ(numbered.find("tokenizer.ggml.padding_token_id"), nullptr);
}

TEST_F(TokenizerConfigTest, AllTokensThatEndAnAnswerAreKept) {
  dir_.file("tokenizer_config.json", R"({"eos_token":"<eot>"})");
  dir_.file("generation_config.json", R"({"eos_token_id":[2,3,4,1,0]})");
  const Gguf gguf = special({{"eos_token_id", 2}});
  EXPECT_EQ(gguf.find_int("tokenizer.ggml.eos_token_id"), 3);
  EXPECT_EQ(*gguf.find_array<std::int32_t>("tokenizer.ggml.eos_token_ids"),
            (std::vector<std::int32_t>{2, 4, 1, 0}));
}

TEST_F(TokenizerConfigTest, BosIsAddedAsThePostProcessorOrTheConfigurationSays) {
  dir_.file("tokenizer_config.json", R"({"bos_token":"<s>","eos_token":"</s>"})");
  EXPECT_EQ(special().find_bool("tokenizer.ggml.add_bos_token"), false);
  tokenizer_.first = "<s>";
  EXPECT_EQ(special().find_bool("tokenizer.ggml.add_bos_token"), true);
  EXPECT_EQ(special().find_bool("tokenizer.ggml.add_eos_token"), false);
  dir_.file("tokenizer_config.json", R"({"bos_token":"<s>","add_bos_token":false})");
  EXPECT_EQ(special().find_bool("tokenizer.ggml.add_bos_token"), false);
  std::filesystem::remove(dir_ / "tokenizer_config.json");
  EXPECT_EQ(special().find_int("tokenizer.ggml.bos_token_id"), 1);
}

TEST_F(TokenizerConfigTest, TheTemplateIsAFileOrPartOfTheConfiguration) {
  const auto found = [&] {
    GgufHeader keys(32);
    add_chat_template(folder(), keys);
    const Gguf read = gguf(keys);
    const auto text = read.find_string("tokenizer.chat_template");
    return text ? std::string(*text) : "none";
  };
  EXPECT_EQ(found(), "none");
  dir_.file("tokenizer_config.json", R"({"chat_template":"plain"})");
  EXPECT_EQ(found(), "plain");
  dir_.file(
      "tokenizer_config.json",
      R"({"chat_template":[{"name":"tool_use","template":"t"},{"name":"default","template":"d"}]})");
  EXPECT_EQ(found(), "d");
  dir_.file("chat_template.json", R"({"chat_template":"of the processor"})");
  EXPECT_EQ(found(), "of the processor");
  dir_.file("chat_template.json", "{}");
  EXPECT_EQ(found(), "d");
  dir_.file("chat_template.jinja", "\xEF\xBB\xBF{{ file }}");
  EXPECT_EQ(found(), "{{ file }}");
}

TEST_F(TokenizerConfigTest, TheAuthorsSamplingIsKept) {
  dir_.file("generation_config.json", R"({"temperature":0.5,"top_k":20,"top_p":0.75})");
  GgufHeader keys(32);
  add_sampling(folder(), keys);
  const Gguf found = gguf(keys);
  EXPECT_EQ(found.find_float("general.sampling.temp"), 0.5);
  EXPECT_EQ(found.find_float("general.sampling.top_p"), 0.75);
  EXPECT_EQ(found.find_int("general.sampling.top_k"), 20);
  EXPECT_EQ(found.keys().size(), 3U);
}

}  // namespace
}  // namespace confab::engine
