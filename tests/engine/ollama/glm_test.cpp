// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

// GLM-4.7-Flash has no groups of experts and no YaRN.
RewrittenFile plain(const char* golden) {
  RewrittenFile file(golden);
  for (const char* key : {"type", "factor", "original_context_length", "yarn_log_multiplier"})
    file.drop(std::string("deepseek2.rope.scaling.") + key);
  file.drop("deepseek2.expert_group_count").drop("deepseek2.expert_group_used_count");
  file.set("tokenizer.ggml.pre", std::string_view("glm4"));
  return file;
}

RewrittenFile llamas() {
  RewrittenFile file = plain("deepseek2-v3");
  file.set("deepseek2.expert_group_count", 1U).set("deepseek2.expert_group_used_count", 1U);
  return file;
}

// As convert_glm4moelite.go wrote it at 64737330a (23 January 2026).
RewrittenFile ollamas() {
  RewrittenFile file = plain("deepseek2-v3");
  file.architecture("deepseek2", "glm4moelite")
      .set("glm4moelite.attention.head_count_kv", 4U)
      .set("glm4moelite.attention.key_length", 12U)
      .set("glm4moelite.attention.value_length", 6U)
      .set("glm4moelite.attention.key_length_mla", 20U)
      .set("glm4moelite.attention.value_length_mla", 16U);
  return file;
}

TEST(OllamaGlm4MoeLiteTest, SizesOfHeadsAndCacheAreToldApart) {
  expect_same_model(ollamas(), llamas());
  const Gguf file = ollamas().open();
  EXPECT_EQ(file.find_int("deepseek2.attention.head_count_kv"), 1);
  EXPECT_EQ(file.find_int("deepseek2.attention.key_length"), 20);
  EXPECT_EQ(file.find_int("deepseek2.attention.value_length_mla"), 6);
}

// As at 4f138a174 (19 January 2026): attn_kv_b whole, and no sizes of the cache.
TEST(OllamaGlm4MoeLiteTest, FilesOfTheFirstDaysAreInLlamaCppsOlderLayout) {
  RewrittenFile llamas = plain("deepseek2-old-layout"), ollamas = plain("deepseek2-old-layout");
  ollamas.architecture("deepseek2", "glm4moelite");
  expect_same_model(
      ollamas,
      llamas.set("deepseek2.expert_group_count", 1U).set("deepseek2.expert_group_used_count", 1U));
}

TEST(OllamaGlm4MoeLiteTest, DamageIsNamed) {
  RewrittenFile file = ollamas();
  EXPECT_THAT(fault_of(file.drop("glm4moelite.attention.kv_lora_rank")),
              HasSubstr("key deepseek2.attention.kv_lora_rank is missing"));
}

}  // namespace
}  // namespace confab::engine
