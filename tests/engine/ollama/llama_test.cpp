// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

constexpr std::size_t kTokens = 128256;

// The vocabulary of Llama 3, as far as it is looked at, and a rule by which text is cut.
Gguf with_rule(std::string_view rule, std::string_view header = "<|start_header_id|>",
               std::size_t n_tokens = kTokens) {
  std::vector<std::string> tokens(n_tokens, "x");
  for (const auto& [id, text] : {std::pair(128006, header), {128009, "<|eot_id|>"}})
    if (static_cast<std::size_t>(id) < n_tokens) tokens[static_cast<std::size_t>(id)] = text;
  RewrittenFile file("llama-linear");
  file.drop("tokenizer.ggml.pre").set_array("tokenizer.ggml.tokens", tokens);
  if (!rule.empty()) file.set("tokenizer.ggml.pre", rule);
  return file.open();
}

TEST(OllamaLlama3Test, TheVocabularyNamesTheRuleWhereTheFileDoesNot) {
  EXPECT_EQ(with_rule("").find_string("tokenizer.ggml.pre"), "llama-bpe");
  EXPECT_EQ(with_rule("default").find_string("tokenizer.ggml.pre"), "llama-bpe");
}

TEST(OllamaLlama3Test, OtherRulesAndOtherVocabulariesStay) {
  EXPECT_EQ(with_rule("smaug-bpe").find_string("tokenizer.ggml.pre"), "smaug-bpe");
  EXPECT_EQ(with_rule("", "<|header|>").find_string("tokenizer.ggml.pre"), std::nullopt);
  EXPECT_EQ(with_rule("", "", 64).find_string("tokenizer.ggml.pre"), std::nullopt);
}

}  // namespace
}  // namespace confab::engine
