// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

// As llama.cpp's converter writes 27B.
RewrittenFile llamas_27b() {
  RewrittenFile file("gemma3-62-layers");
  file.set("gemma3.rope.freq_base_swa", 10000.0F)
      .set("gemma3.rope.scaling.type", std::string_view("linear"))
      .set("gemma3.rope.scaling.factor", 8.0F)
      .set_array("tokenizer.ggml.eos_token_ids", std::vector<std::int32_t>{2, 5});
  return file;
}

// As convert_gemma3.go has written it since 2e54d72fc: pictures, and a token of theirs.
RewrittenFile ollamas_27b() {
  RewrittenFile file("gemma3-62-layers");
  const Gguf golden = file.open();
  auto tokens = *golden.find_array<std::string_view>("tokenizer.ggml.tokens");
  auto scores = *golden.find_array<float>("tokenizer.ggml.scores");
  auto types = *golden.find_array<std::int32_t>("tokenizer.ggml.token_type");
  tokens.push_back("<image_soft_token>");
  scores.push_back(-1000);
  types.push_back(4);
  file.drop("gemma3.attention.layer_norm_rms_epsilon")
      .drop("gemma3.rope.freq_base")
      .set("gemma3.mm.tokens_per_image", 256U)
      .set("gemma3.vision.block_count", 1U)
      .set_array("tokenizer.ggml.eos_token_ids", std::vector<std::int32_t>{2, 5})
      .set_array("tokenizer.ggml.tokens", tokens)
      .set_array("tokenizer.ggml.scores", scores)
      .set_array("tokenizer.ggml.token_type", types)
      .add_tensor("v.blk.0.attn_q.weight", {8, 8})
      .add_tensor("mm.mm_input_projection.weight", {8, 8});
  return file;
}

TEST(OllamaGemma3Test, IsTheSameModelWithoutItsPictures) {
  expect_same_model(ollamas_27b(), llamas_27b());
}

TEST(OllamaGemma3Test, FilesOfTheFirstDayHaveAnotherLengthAndTheSameScaling) {
  RewrittenFile file = ollamas_27b();
  file.set("gemma3.context_length", 64U);
  RewrittenFile want = llamas_27b();
  expect_same_model(file, want.set("gemma3.context_length", 64U));
}

// 1B, 270M, and models that others made of these.
TEST(OllamaGemma3Test, TextModelsHaveOtherNamesOfBases) {
  RewrittenFile llamas("gemma3-pattern"), ollamas("gemma3-pattern");
  ollamas.rename("gemma3.rope.freq_base_swa", "gemma3.rope.local.freq_base");
  expect_same_model(ollamas, llamas);
  ollamas.rename("gemma3.rope.freq_base", "gemma3.rope.global.freq_base");
  expect_same_model(ollamas, llamas);
  // The ramp of YaRN, as Rnj-1 has it.
  const auto yarn = [](RewrittenFile& file, const std::string& prefix) {
    file.set("gemma3.rope.scaling.type", std::string_view("yarn"))
        .set("gemma3.rope.scaling.original_context_length", 16U)
        .set("gemma3.rope.scaling." + prefix + "beta_fast", 3.0F)
        .set("gemma3.rope.scaling." + prefix + "beta_slow", 0.5F);
  };
  yarn(ollamas, "");
  yarn(llamas, "yarn_");
  expect_same_model(ollamas, llamas);
}

// The caps of early files: of 0, and of 30 for 1B, which has none.
TEST(OllamaGemma3Test, CapsThatAreWrongAreLeftOut) {
  RewrittenFile none("gemma3-pattern"), zero("gemma3-pattern");
  none.drop("gemma3.final_logit_softcapping");
  zero.set("gemma3.final_logit_softcapping", 0.0F)
      .rename("gemma3.rope.freq_base_swa", "gemma3.rope.local.freq_base");
  expect_same_model(zero, none);
  for (const std::uint32_t n_layer : {26U, 18U}) {
    RewrittenFile file("gemma3-pattern");
    file.set("gemma3.block_count", n_layer)
        .rename("gemma3.rope.freq_base_swa", "gemma3.rope.local.freq_base");
    EXPECT_EQ(file.open().find("gemma3.final_logit_softcapping") == nullptr, n_layer == 26)
        << n_layer;
  }
}

TEST(OllamaGemma3Test, OnlyTheSizesWithPicturesAreScaled) {
  RewrittenFile file("gemma3-pattern");
  file.drop("gemma3.rope.scaling.type")
      .drop("gemma3.rope.scaling.factor")
      .rename("gemma3.rope.freq_base_swa", "gemma3.rope.local.freq_base");
  EXPECT_EQ(file.open().find("gemma3.rope.scaling.factor"), nullptr);
  file.set("gemma3.block_count", 34U);
  EXPECT_EQ(file.open().find_float("gemma3.rope.scaling.factor"), 8);
}

TEST(OllamaGemma3Test, DamageIsNamed) {
  RewrittenFile file = ollamas_27b();
  EXPECT_THAT(fault_of(file.drop("gemma3.embedding_length")),
              HasSubstr("key gemma3.embedding_length is missing"));
  file = ollamas_27b();
  file.drop("tokenizer.ggml.tokens").set("tokenizer.ggml.tokens", 3U);
  EXPECT_THAT(fault_of(file), HasSubstr("key tokenizer.ggml.tokens is an unsigned integer"));
  file = ollamas_27b();
  EXPECT_THAT(fault_of(file.drop_tensor("token_embd.weight")),
              HasSubstr("tensor token_embd.weight is missing"));
}

TEST(OllamaGemma3Test, AnEmbeddingModelIsRefusedAsOne) {
  RewrittenFile file = ollamas_27b();
  EXPECT_THAT(fault_of(file.add_tensor("dense.0.weight", {8, 32})),
              HasSubstr("is an embedding model (tensor dense.0.weight), which writes no text"));
}

// Byte pairs.
RewrittenFile with_merges(const char* golden) {
  RewrittenFile file(golden);
  file.set_array("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  return file;
}

RewrittenFile llamas_gemma4(const char* golden) {
  RewrittenFile file = with_merges(golden);
  file.set("tokenizer.ggml.model", std::string_view("gemma4"));
  return file;
}

TEST(OllamaGemma4Test, ATokenizerOfSentencePieceMayBeOne) {
  const Gguf plain = RewrittenFile("gemma4").open();
  EXPECT_EQ(plain.find_string("tokenizer.ggml.model"), "llama") << "it has no byte pairs";
}

TEST(OllamaGemma4Test, IsTheSameModelWithoutPicturesAndSound) {
  RewrittenFile ollamas = with_merges("gemma4");  // its tokenizer is called llama, as Ollama does
  ollamas.add_tensor("v.patch_embd.weight", {4, 4})
      .add_tensor("a.conv1d.0.weight", {4, 4})
      .add_tensor("mm.a.fc.weight", {4, 4})
      .add_tensor("model.vision_tower.other", {4});
  expect_same_model(ollamas, llamas_gemma4("gemma4"));
}

TEST(OllamaGemma4Test, ScalesOfExpertsAndOtherNamesOfTensorsAreKnown) {
  RewrittenFile ollamas = with_merges("gemma4-moe");
  ollamas.rename_tensors("ffn_down_exps.scale", "ffn_gate_inp.per_expert_scale")
      .rename_tensors("layer_output_scale.weight", "layer_scalar")
      .rename_tensors("post_attention_norm.weight", "attn_post_norm.weight")
      .rename_tensors("ffn_norm.weight", "ffn_pre_norm.weight")
      .rename_tensors("post_ffw_norm.weight", "ffn_post_norm.weight")
      .rename_tensors("pre_ffw_norm_2.weight", "ffn_pre_norm_2.weight")
      .rename_tensors("post_ffw_norm_1.weight", "ffn_post_norm_1.weight")
      .rename_tensors("post_ffw_norm_2.weight", "ffn_post_norm_2.weight")
      .rename("gemma4.rope.freq_base_swa", "gemma4.rope.local.freq_base");
  expect_same_model(ollamas, llamas_gemma4("gemma4-moe"));
}

TEST(OllamaGemma4Test, LlamaCppsFormHasItsOwnTokenizer) {
  const Gguf file = llamas_gemma4("gemma4-moe").open();
  EXPECT_EQ(file.find_string("tokenizer.ggml.model"), "gemma4");
  EXPECT_FALSE(file.part_paths().empty());
}

}  // namespace
}  // namespace confab::engine
