// SPDX-License-Identifier: MIT
#include "engine/safetensors/open_model.h"

#include <gtest/gtest.h>

#include "engine/safetensors/model_config.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/tiny_folder.h"

namespace confab::engine {
namespace {

TEST(OpenModelTest, OpensFilesAndFolders) {
  const Twin twin{.of = "Qwen2ForCausalLM", .architecture = "qwen2", .biases = true};
  const TempDir dir;
  const std::string file = (dir / "twin.gguf").string(), folder = dir.path().string();
  twin_file(twin).write(file);
  EXPECT_FALSE(is_model_folder(folder));
  write_tiny_folder(dir, Gguf(file), twin);
  EXPECT_TRUE(is_model_folder(folder));
  EXPECT_FALSE(is_model_folder(file));
  const std::size_t n_tensors = Gguf(file).tensors().size();
  for (const std::string& path : {file, folder, folder + "/model.safetensors"})
    EXPECT_EQ(open_model(path).tensors().size(), n_tensors) << path;
}

TEST(OpenModelTest, AFolderOfSomethingElseIsNoModel) {
  const TempDir dir;
  EXPECT_EQ(error_of([&] { open_model(dir.path().string()); }),
            dir.path().string() + ": is a directory, expected a regular file");
}

constexpr ModelFamily kLlama{.of = "LlamaForCausalLM", .architecture = "llama", .neighbours = true};
constexpr ModelFamily kGemma{
    .of = "Gemma2ForCausalLM", .architecture = "gemma2", .shifted_norms = true, .post_norms = true};

std::string name(std::string_view of, const ModelFamily& family = kLlama, bool tied = false) {
  return gguf_name(of, {&family, tied, {}, {}, 16}).value_or("unknown");
}

TEST(TensorNamesTest, TensorsOfAllModels) {
  EXPECT_EQ(name("model.embed_tokens.weight"), "token_embd.weight");
  EXPECT_EQ(name("model.norm.weight"), "output_norm.weight");
  EXPECT_EQ(name("lm_head.weight"), "output.weight");
  EXPECT_EQ(name("model.layers.11.self_attn.q_proj.weight"), "blk.11.attn_q.weight");
  EXPECT_EQ(name("model.layers.0.self_attn.k_proj.bias"), "blk.0.attn_k.bias");
  EXPECT_EQ(name("model.layers.0.mlp.down_proj.weight"), "blk.0.ffn_down.weight");
}

TEST(TensorNamesTest, ANormIsBeforeOrBehindByTheFamily) {
  EXPECT_EQ(name("model.layers.2.post_attention_layernorm.weight"), "blk.2.ffn_norm.weight");
  EXPECT_EQ(name("model.layers.2.post_attention_layernorm.weight", kGemma),
            "blk.2.post_attention_norm.weight");
}

TEST(TensorNamesTest, ExpertsAreApartOrTogether) {
  EXPECT_EQ(name("model.layers.1.mlp.experts.12.gate_proj.weight"), "blk.1.ffn_gate.12.weight");
  EXPECT_EQ(name("model.layers.1.block_sparse_moe.experts.3.w2.weight"), "blk.1.ffn_down.3.weight");
  EXPECT_EQ(name("model.layers.1.mlp.experts.gate_up_proj"), "blk.1.ffn_gate_up_exps.weight");
  EXPECT_EQ(name("model.layers.1.mlp.experts.down_proj"), "blk.1.ffn_down_exps.weight");
  EXPECT_EQ(name("model.layers.1.mlp.switch_mlp.up_proj.weight"), "blk.1.ffn_up_exps.weight");
  EXPECT_EQ(name("model.layers.1.block_sparse_moe.switch_mlp.down_proj.weight"),
            "blk.1.ffn_down_exps.weight");
  EXPECT_EQ(name("model.layers.1.mlp.gate.weight"), "blk.1.ffn_gate_inp.weight");
}

TEST(TensorNamesTest, TheLanguageModelOfOneThatSeesIsFound) {
  EXPECT_EQ(name("language_model.model.norm.weight"), "output_norm.weight");
  EXPECT_EQ(name("model.language_model.norm.weight"), "output_norm.weight");
  EXPECT_EQ(name("vision_tower.encoder.weight"), "");
  EXPECT_EQ(name("model.multi_modal_projector.weight"), "");
}

TEST(TensorNamesTest, WhatIsNotNeededHasNoName) {
  EXPECT_EQ(name("model.layers.0.self_attn.rotary_emb.inv_freq"), "");
  EXPECT_EQ(name("lm_head.weight", kGemma, true), "");
}

TEST(TensorNamesTest, OthersAreUnknown) {
  for (const char* other :
       {"", "model.norm", "model.layers.x.input_layernorm.weight", "model.layers.1",
        "model.layers.-1.input_layernorm.weight",
        "model.layers.0.self_attn.q_proj.weight_scale_inv",
        "model.layers.0.mlp.experts.up_proj.weight", "model.layers.0.post_attention_layernorm",
        "model.layers.0.mlp.gate_proj.scales", "model.layers.99999999999.input_layernorm.weight"})
    EXPECT_EQ(name(other), "unknown") << other;
}

}  // namespace
}  // namespace confab::engine
