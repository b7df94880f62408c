// SPDX-License-Identifier: MIT
#include "engine/ollama/tokenizer_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ollama/translation.h"
#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::SizeIs;

Gguf translated(const RewrittenFile& file, void (*change)(Translation&)) {
  Translation to(file.open(), "llama");
  change(to);
  return std::move(to).finish();
}

TEST(OllamaTokenizerKeysTest, TokensWithoutARowAreLeftOut) {
  RewrittenFile file("llama-linear");  // 64 rows
  file.set_array("tokenizer.ggml.tokens", std::vector<std::string>(70, "x"))
      .set_array("tokenizer.ggml.token_type", std::vector<std::int32_t>(66, 1))
      .drop("tokenizer.ggml.scores");
  const Gguf cut = translated(file, cut_vocabulary);
  EXPECT_THAT(*cut.find_array<std::string_view>("tokenizer.ggml.tokens"), SizeIs(64));
  EXPECT_THAT(*cut.find_array<std::int32_t>("tokenizer.ggml.token_type"), SizeIs(64));
  EXPECT_EQ(cut.find("tokenizer.ggml.scores"), nullptr);
  file.set_array("tokenizer.ggml.tokens", std::vector<std::string>(60, "x"));
  const Gguf whole = translated(file, cut_vocabulary);
  EXPECT_THAT(*whole.find_array<std::string_view>("tokenizer.ggml.tokens"), SizeIs(60));
}

TEST(OllamaTokenizerKeysTest, OnlyARuleThatSaysNothingIsReplaced) {
  const auto named = [](std::string_view rule) {
    RewrittenFile file("llama-linear");
    file.set("tokenizer.ggml.pre", rule);
    const Gguf got = translated(file, [](Translation& to) { name_pre_tokenizer(to, "tekken"); });
    return std::string(*got.find_string("tokenizer.ggml.pre"));
  };
  EXPECT_EQ(named("default"), "tekken");
  EXPECT_EQ(named(""), "tekken");
  EXPECT_EQ(named("qwen2"), "qwen2");
}

}  // namespace
}  // namespace confab::engine
