// SPDX-License-Identifier: MIT
#include "engine/ollama/ollama_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/golden_cases.h"
#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

// Models of all architectures, in llama.cpp's form: what comes back is what went in.
TEST(OllamaFormTest, LlamaCppsFilesPassUnchanged) {
  int n = 0;
  for (const GoldenCase& golden : golden_cases()) {
    RewrittenFile file{Gguf(golden.model())};
    if (golden.name.starts_with("gemma4"))  // golden files have the tokenizer of another family
      file.set("tokenizer.ggml.model", std::string_view("gemma4"));
    const TempDir dir;
    file.writer().write(dir / "model.gguf");
    Gguf before(dir / "model.gguf");
    const GgufKey* const keys = before.keys().data();
    const GgufTensor* const tensors = before.tensors().data();
    const Gguf after = in_llama_cpp_form(std::move(before));
    EXPECT_EQ(after.keys().data(), keys) << golden.name;
    EXPECT_EQ(after.tensors().data(), tensors) << golden.name;
    ++n;
  }
  EXPECT_GE(n, 33);
}

// Flipped bits in the front of a file: a model or an error with its path, nothing else.
TEST(OllamaFormTest, DamagedFrontsAreReadOrRefused) {
  RewrittenFile file("qwen35");
  file.rename_tensors("ssm_dt.bias", "ssm_dt")
      .set_array("qwen35.attention.head_count_kv", std::vector<std::uint32_t>{0, 2, 0})
      .set_array("qwen35.rope.dimension_sections", std::vector<std::int32_t>{2, 1, 1})
      .set_array("tokenizer.ggml.eos_token_ids", std::vector<std::int32_t>{2, 5})
      .set("qwen35.ssm.v_head_reordered", true);
  const GgufWriter writer = file.writer();
  const std::string whole = writer.bytes();
  const TempDir dir;
  const std::string path = dir / "model.gguf";
  int n_refused = 0;
  for (std::size_t at = 4; at < writer.header().size(); at += 23) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    write_file(path, bytes);
    const std::string fault = error_of([&] { Hparams::load(open_model(path)); });
    EXPECT_TRUE(fault.empty() || fault.starts_with(path)) << at << fault;
    n_refused += fault.empty() ? 0 : 1;
  }
  EXPECT_GT(n_refused, 30);
}

// A tensor of pictures in a file of an architecture that Ollama writes as llama.cpp does.
TEST(OllamaFormTest, OtherArchitecturesAreLeftToTheirReaders) {
  RewrittenFile file("granite");
  EXPECT_NE(file.add_tensor("v.x", {4}).open().find_tensor("v.x"), nullptr);
  file.set("general.architecture", std::string_view("lfm2"));
  EXPECT_THAT(fault_of(file), HasSubstr("unknown architecture \"lfm2\""));
  file.set("general.architecture", 3U);
  EXPECT_THAT(fault_of(file), HasSubstr("key general.architecture is an unsigned integer"));
  EXPECT_THAT(fault_of(file.drop("general.architecture")),
              HasSubstr("key general.architecture is missing"));
}

TEST(OllamaFormTest, ModelsThatConfabHasNoArchitectureForAreRefusedByName) {
  for (const char* name : {"deepseekocr", "glmocr", "mllama", "nemotron_h_omni", "qwen25vl"}) {
    RewrittenFile file("llama-linear");
    file.architecture("llama", name);
    EXPECT_THAT(fault_of(file), HasSubstr(std::string("is a ") + name +
                                          " model as Ollama packs it, which this version cannot "
                                          "run; run it in Ollama and choose it there"));
  }
  for (const char* name : {"gemma3n", "llama4", "nemotron_h_moe", "qwen3vl", "qwen3vlmoe"}) {
    RewrittenFile file("llama-linear");
    file.architecture("llama", name);
    EXPECT_THAT(fault_of(file), HasSubstr("unknown architecture")) << name;  // llama.cpp's form
    EXPECT_THAT(fault_of(file.add_tensor("v.x", {4})), HasSubstr("as Ollama packs it")) << name;
  }
}

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
