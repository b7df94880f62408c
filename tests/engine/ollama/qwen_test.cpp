// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/safetensors/open_model.h"
#include "tests/engine/gguf/quantized.h"
#include "tests/engine/ollama/rewritten_file.h"
#include "tests/engine/safetensors/golden_families.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

// As convert_qwen3next.go wrote it at da70c3222 (February 2026), with pictures and further tokens.
RewrittenFile ollamas_qwen35() {
  RewrittenFile file("qwen35");
  file.rename_tensors("ssm_dt.bias", "ssm_dt")
      .set_array("qwen35.attention.head_count_kv", std::vector<std::uint32_t>{0, 2, 0})
      .set_array("qwen35.rope.dimension_sections", std::vector<std::int32_t>{2, 1, 1})
      .set("qwen35.rope.mrope_interleaved", true)
      .set("qwen35.ssm.v_head_reordered", true)
      .set("qwen35.vision.block_count", 1U)
      .add_tensor("v.blk.0.attn_q.weight", {8, 8})
      .add_tensor("mtp.layers.0.attn_q.weight", {8, 8})
      .add_tensor("mtp.fc.weight", {8, 8});
  return file;
}

TEST(OllamaQwen35Test, IsTheSameModelWithoutPicturesAndFurtherTokens) {
  expect_same_model(ollamas_qwen35(), RewrittenFile("qwen35"));
  const Gguf file = ollamas_qwen35().open();
  EXPECT_THAT(*file.find_array<std::int32_t>("qwen35.rope.dimension_sections"),
              testing::ElementsAre(2, 1, 1, 0));
}

// Which layers are recurrent is what the heads say, whatever the interval, or without one.
TEST(OllamaQwen35Test, HeadsTellTheLayersApart) {
  RewrittenFile file = ollamas_qwen35();
  expect_same_model(file.drop("qwen35.full_attention_interval"), RewrittenFile("qwen35"));
  file.set_array("qwen35.attention.head_count_kv", std::vector<std::uint32_t>{0, 0, 2});
  EXPECT_THAT(fault_of(file), HasSubstr("tensor blk.1.attn_qkv.weight is missing"));
}

TEST(OllamaQwen35Test, TheOrderOfValueHeadsIsThatOfTheFamilyOrRefused) {
  RewrittenFile file = ollamas_qwen35();
  expect_same_model(file.drop("qwen35.ssm.v_head_reordered"), RewrittenFile("qwen35"));
  file.set("qwen35.ssm.v_head_reordered", false);
  EXPECT_THAT(fault_of(file), HasSubstr("(key qwen35.ssm.v_head_reordered)"));
  EXPECT_THAT(fault_of(file), HasSubstr("confab pull ORG/REPO-GGUF"));
}

TEST(OllamaQwen35Test, DamageIsNamed) {
  RewrittenFile file = ollamas_qwen35();
  EXPECT_THAT(fault_of(file.drop_tensor("blk.0.ssm_dt")),
              HasSubstr("tensor blk.0.ssm_dt.bias is missing"));
  file = ollamas_qwen35();
  file.set_array("qwen35.attention.head_count_kv", std::vector<std::uint32_t>{0, 0, 0});
  EXPECT_THAT(fault_of(file), HasSubstr("qwen35.attention.head_count_kv is 0"));
  file = ollamas_qwen35();
  file.set_array("qwen35.attention.head_count_kv", std::vector<std::uint32_t>{0, 2});
  EXPECT_THAT(fault_of(file), HasSubstr("qwen35.attention.recurrent_layers is an array of 2"));
  file = ollamas_qwen35();
  file.set("qwen35.rope.dimension_sections", 3U);
  EXPECT_THAT(fault_of(file), HasSubstr("qwen35.rope.dimension_sections is an unsigned integer"));
}

// The same converter; config.json has no width of a feed-forward but the experts'.
TEST(OllamaQwen35MoeTest, IsTheSameModel) {
  const TempDir dir;
  golden::write_family(dir, golden::qwen35moe());
  const std::string made = (dir / "made.gguf").string();
  quantize(open_model_folder(dir.path().string()), made, "BF16");
  RewrittenFile file{Gguf(made)};
  file.rename_tensors("ssm_dt.bias", "ssm_dt")
      .set_array("qwen35moe.attention.head_count_kv", std::vector<std::uint32_t>{0, 2, 0})
      .set("qwen35moe.feed_forward_length", 0U)
      .set("qwen35moe.vision.block_count", 1U)
      .add_tensor("mtp.fc.weight", {8, 8});
  expect_same_model(file, RewrittenFile{Gguf(made)});
}

// As at 77eb2ca61.
TEST(OllamaQwen3NextTest, IsTheSameModel) {
  RewrittenFile file("qwen3next");
  file.rename_tensors("ssm_dt.bias", "ssm_dt")
      .set_array("qwen3next.attention.head_count_kv", std::vector<std::uint32_t>{0, 2, 0});
  expect_same_model(file, RewrittenFile("qwen3next"));
  file.set("qwen3next.ssm.v_head_reordered", true);
  EXPECT_THAT(fault_of(file), HasSubstr("(key qwen3next.ssm.v_head_reordered)"));
}

}  // namespace
}  // namespace confab::engine
