// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/tiny_folder.h"

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

}  // namespace
}  // namespace confab::engine
