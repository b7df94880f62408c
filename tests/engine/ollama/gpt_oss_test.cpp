// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

RewrittenFile llamas() {
  RewrittenFile file("gpt-oss-other-sizes");
  file.set("tokenizer.ggml.pre", std::string_view("gpt-4o"));
  return file;
}

// As convert_gptoss.go wrote it from October 2025 on.
RewrittenFile ollamas() {
  RewrittenFile file("gpt-oss-other-sizes");
  file.architecture("gpt-oss", "gptoss")
      .drop("gptoss.expert_feed_forward_length")
      .drop("gptoss.rope.scaling.type")
      .rename_tensors("attn_output.weight", "attn_out.weight")
      .rename_tensors("attn_output.bias", "attn_out.bias")
      .rename_tensors("attn_sinks.weight", "attn_sinks")
      .rename_tensors("post_attention_norm.weight", "ffn_norm.weight");
  return file;
}

TEST(OllamaGptOssTest, IsTheSameModel) {
  expect_same_model(ollamas(), llamas());
}

TEST(OllamaGptOssTest, WhatTheFileSaysStays) {
  RewrittenFile linear = ollamas();
  linear.set("gptoss.rope.scaling.type", std::string_view("linear"));
  RewrittenFile want = llamas();
  want.set("gpt-oss.rope.scaling.type", std::string_view("linear"));
  expect_same_model(linear, want);
  EXPECT_FALSE(same_bits(golden_logits_of(linear.open()), golden_logits_of(llamas().open())));
}

TEST(OllamaGptOssTest, ALayerThatHasLlamaCppsNamesAlreadyIsRead) {
  RewrittenFile mixed = ollamas();
  mixed.rename_tensor("blk.1.attn_out.weight", "blk.1.attn_output.weight")
      .rename_tensor("blk.2.attn_sinks", "blk.2.attn_sinks.weight");
  expect_same_model(mixed, llamas());
}

TEST(OllamaGptOssTest, DamageIsNamed) {
  RewrittenFile file = ollamas();
  EXPECT_THAT(fault_of(file.drop_tensor("blk.1.attn_sinks")),
              HasSubstr("tensor blk.1.attn_sinks.weight is missing"));
  file = ollamas();
  EXPECT_THAT(fault_of(file.add_tensor("blk.0.attn_output.weight", {48, 24})),
              HasSubstr("tensor blk.0.attn_output.weight appears twice"));
  file = ollamas();
  file.drop_tensor("blk.2.ffn_norm.weight").add_tensor("blk.2.ffn_norm.weight", {23});
  EXPECT_THAT(fault_of(file),
              HasSubstr("tensor blk.2.post_attention_norm.weight has shape [23], expected [24]"));
  file = ollamas();
  EXPECT_THAT(fault_of(file.drop("gptoss.block_count")),
              HasSubstr("key gpt-oss.block_count is missing"));
}

TEST(OllamaGptOssTest, RowsInTurnsAreRefusedWithWhatToDo) {
  RewrittenFile file = ollamas();
  file.drop_tensor("blk.0.ffn_gate_exps.weight")
      .rename_tensor("blk.0.ffn_up_exps.weight", "blk.0.ffn_gate_up_exps.weight");
  EXPECT_THAT(fault_of(file), HasSubstr("is gpt-oss as Ollama packed it until October 2025"));
  EXPECT_THAT(fault_of(file), HasSubstr("confab pull ggml-org/gpt-oss-20b-GGUF"));
}

}  // namespace
}  // namespace confab::engine
