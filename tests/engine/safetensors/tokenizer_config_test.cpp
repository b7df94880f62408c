// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_config.h"

#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

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
