// SPDX-License-Identifier: MIT
#include "engine/safetensors/open_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/text/tokenizer.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/tiny_folder.h"
#include "tests/engine/safetensors/twin_logits.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

const Twin kLlama{.of = "LlamaForCausalLM", .architecture = "llama", .neighbours = true};
const Twin kQwen3{.of = "Qwen3ForCausalLM", .architecture = "qwen3", .head_norms = true};

const Twin kMixtral{.of = "MixtralForCausalLM",
                    .architecture = "llama",
                    .neighbours = true,
                    .n_expert = 4,
                    .config = {{"num_local_experts", 4}},
                    .names = {{"ffn_gate_inp", "block_sparse_moe.gate"},
                              {"ffn_gate", "block_sparse_moe.w1"},
                              {"ffn_up", "block_sparse_moe.w3"},
                              {"ffn_down", "block_sparse_moe.w2"}}};
// The last of its layers does not rotate.
const Twin kSmolLm3{.of = "SmolLM3ForCausalLM",
                    .architecture = "smollm3",
                    .neighbours = true,
                    .n_layer = 4,
                    .tied = true,
                    .config = {{"no_rope_layers", {1, 1, 1, 0}}}};
const Twin kQwen2Moe{.of = "Qwen2MoeForCausalLM",
                     .architecture = "qwen2moe",
                     .biases = true,
                     .n_expert = 4,
                     .n_ff_shared = 64,
                     .config = {{"shared_expert_intermediate_size", 64}, {"norm_topk_prob", false}},
                     .names = {{"ffn_gate_inp_shexp", "mlp.shared_expert_gate"},
                               {"ffn_gate_shexp", "mlp.shared_expert.gate_proj"},
                               {"ffn_up_shexp", "mlp.shared_expert.up_proj"},
                               {"ffn_down_shexp", "mlp.shared_expert.down_proj"}}};
const Twin kGranite{.of = "GraniteForCausalLM",
                    .architecture = "granite",
                    .neighbours = true,
                    .numbers = {{"embedding_scale", 12},
                                {"residual_scale", 0.22F},
                                {"attention.scale", 0.1F},
                                {"logit_scale", 8}},
                    .config = {{"embedding_multiplier", 12},
                               {"residual_multiplier", 0.22},
                               {"attention_multiplier", 0.1},
                               {"logits_scaling", 8}}};
const Twin kOlmo2{.of = "Olmo2ForCausalLM",
                  .architecture = "olmo2",
                  .row_norms = true,
                  .pre_norms = false,
                  .post_norms = true,
                  .names = {{"post_ffw_norm", "post_feedforward_layernorm"}}};
const Twin kGlm4{.of = "Glm4ForCausalLM",
                 .architecture = "glm4",
                 .biases = true,
                 .post_norms = true,
                 .fused_ffn = true,
                 .names = {{"post_attention_norm", "post_self_attn_layernorm"},
                           {"post_ffw_norm", "post_mlp_layernorm"},
                           {"ffn_up", "mlp.gate_up_proj"}}};
// Three of its layers have a window, the fourth does not rotate.
const Twin kCohere2{.of = "Cohere2ForCausalLM",
                    .architecture = "cohere2",
                    .n_layer = 4,
                    .one_norm = true,
                    .layer_norms = true,
                    .tied = true,
                    .window = 8,
                    .numbers = {{"logit_scale", 0.25F}},
                    .config = {{"logit_scale", 0.25}, {"layer_norm_eps", 1e-5}}};
const Twin kStarCoder2{.of = "Starcoder2ForCausalLM",
                       .architecture = "starcoder2",
                       .biases = true,
                       .layer_norms = true,
                       .norm_biases = true,
                       .gated = false,
                       .tied = true,
                       .window = 8,
                       .config = {{"norm_epsilon", 1e-5}, {"hidden_act", "gelu_pytorch_tanh"}},
                       .names = {{"ffn_up", "mlp.c_fc"}, {"ffn_down", "mlp.c_proj"}}};

// Both twins of one model.
class Twins {
 public:
  // type: of matrices, "F32", "F16" or "BF16".
  explicit Twins(const Twin& twin, const std::string& type = "F32", std::size_t n_shards = 1) {
    twin_file(twin).write(file());
    if (type != "F32") {
      const std::string exact = (dir_ / "exact.gguf").string();
      std::filesystem::rename(file(), exact);
      quantize(Gguf(exact), file(), type);
    }
    write_tiny_folder(dir_, Gguf(file()), twin, n_shards);
  }
  std::string file() const { return (dir_ / "twin.gguf").string(); }
  std::string folder() const { return dir_.path().string(); }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
};

class ModelFolderTest : public testing::TestWithParam<std::tuple<Twin, const char*>> {};

TEST_P(ModelFolderTest, LogitsAreThoseOfTheSameWeightsInGguf) {
  const auto& [twin, type] = GetParam();
  const Twins twins(twin, type);
  const std::vector<float> want = logits_of(Gguf(twins.file())),
                           got = logits_of(open_model_folder(twins.folder()));
  // Where a head's rows are in another order, its products are summed in another order.
  if (twin.neighbours) {
    EXPECT_LT(distance(got, want), 1e-5);
  } else {
    EXPECT_TRUE(same_bits(got, want)) << distance(got, want);
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<Twin, const char*>>& info) {
  return std::get<0>(info.param).of + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelFolderTest,
    testing::Combine(
        testing::Values(kLlama, kQwen3,
                        Twin{.of = "MistralForCausalLM",
                             .architecture = "llama",
                             .neighbours = true,
                             .biases = true},
                        Twin{.of = "Qwen2ForCausalLM", .architecture = "qwen2", .biases = true},
                        Twin{.of = "Qwen3MoeForCausalLM",
                             .architecture = "qwen3moe",
                             .head_norms = true,
                             .n_expert = 4},
                        Twin{.of = "Gemma2ForCausalLM", .architecture = "gemma2", .gemma = true},
                        Twin{.of = "Gemma3ForCausalLM",
                             .architecture = "gemma3",
                             .head_norms = true,
                             .gemma = true},
                        Twin{.of = "Phi3ForCausalLM", .architecture = "phi3", .fused = true},
                        kMixtral, kSmolLm3, kQwen2Moe, kGranite, kOlmo2, kGlm4, kCohere2,
                        kStarCoder2),
        testing::Values("F32", "F16", "BF16")),
    name_of);

TEST(OpenModelFolderTest, MatricesStayWhereTheyAreInTheFiles) {
  const Twins twins(kLlama, "BF16");
  const Gguf gguf = open_model_folder(twins.folder());
  EXPECT_EQ(gguf.path(), twins.folder());
  ASSERT_EQ(gguf.part_paths().size(), 1U);
  EXPECT_EQ(gguf.file_bytes(), std::filesystem::file_size(gguf.part_paths()[0]));
  const std::string file = read_file(gguf.part_paths()[0]);
  const GgufTensor* q = gguf.find_tensor("blk.1.attn_q.weight");
  ASSERT_NE(q, nullptr);
  EXPECT_EQ(q->dtype, Dtype::BF16);
  // Its bytes are in the file once, and what is looked at is the mapping: the file's own change
  // shows.
  EXPECT_NE(file.find({reinterpret_cast<const char*>(q->data.data()), q->data.size()}), file.npos);
  EXPECT_EQ(gguf.state(), FileState::same);
  write_file(gguf.part_paths()[0], file + "x");
  EXPECT_EQ(gguf.state(), FileState::changed);
}

TEST(OpenModelFolderTest, ShardsAreOneModel) {
  const Twins twins(kQwen3, "F32", 3);
  const Gguf gguf = open_model_folder(twins.folder());
  EXPECT_EQ(gguf.part_paths().size(), 3U);
  EXPECT_TRUE(
      same_bits(logits_of(open_model_folder(twins.folder())), logits_of(Gguf(twins.file()))));
}

TEST(OpenModelFolderTest, TextBecomesTheSameTokens) {
  const Twins twins(kLlama);
  const auto got = Tokenizer::load(open_model_folder(twins.folder())),
             want = Tokenizer::load(Gguf(twins.file()));
  const std::string text = "<|im_start|>user\nThe others and you's in 2024 ünd\n<|im_end|>";
  EXPECT_EQ(got->encode(text, true), want->encode(text, true));
  EXPECT_EQ(got->n_vocab(), want->n_vocab());
  EXPECT_EQ(got->bos(), want->bos());
  EXPECT_EQ(got->eos(), want->eos());
  EXPECT_EQ(got->prefix().size(), want->prefix().size());
  for (Token token = 0; token < want->n_vocab(); ++token)
    EXPECT_EQ(got->is_eog(token), want->is_eog(token)) << token;
}

// What `confab quantize` makes of a folder has every tensor as the twin has it, rows in its order.
TEST(OpenModelFolderTest, AGgufMadeOfItIsTheTwin) {
  const Twins twins(kLlama, "BF16");
  const std::string made = (twins.dir() / "made.gguf").string();
  quantize(open_model_folder(twins.folder()), made, "BF16");
  const Gguf got(made), want(twins.file());
  ASSERT_EQ(got.tensors().size(), want.tensors().size());
  for (const GgufTensor& tensor : want.tensors()) {
    const GgufTensor* other = got.find_tensor(tensor.name);
    ASSERT_NE(other, nullptr) << tensor.name;
    EXPECT_EQ(other->shape, tensor.shape);
    EXPECT_TRUE(std::ranges::equal(other->data, tensor.data)) << tensor.name;
  }
  EXPECT_EQ(got.find("llama.rope.interleaved"), nullptr);
  EXPECT_TRUE(same_bits(logits_of(Gguf(made)), logits_of(Gguf(twins.file()))));
}

// A folder has each expert's matrices apart; a GGUF file of it has them as llama.cpp's converter.
TEST(OpenModelFolderTest, AGgufMadeOfAMixtureHasItsExpertsInOneTensor) {
  Twin twin{
      .of = "Qwen3MoeForCausalLM", .architecture = "qwen3moe", .head_norms = true, .n_expert = 4};
  const Twins twins(twin);
  twin.stacked = true;
  const std::string stacked = (twins.dir() / "stacked.gguf").string();
  twin_file(twin).write(stacked);
  const auto made_of = [&](Gguf gguf, const char* name) {
    const std::string path = (twins.dir() / name).string();
    quantize(std::move(gguf), path, "Q8_0");
    return Gguf(path);
  };
  const Gguf got = made_of(open_model_folder(twins.folder()), "got.gguf"),
             want = made_of(Gguf(stacked), "want.gguf");
  ASSERT_EQ(got.tensors().size(), want.tensors().size());
  for (const GgufTensor& tensor : want.tensors()) {
    const GgufTensor* other = got.find_tensor(tensor.name);
    ASSERT_NE(other, nullptr) << tensor.name;
    EXPECT_EQ(other->dtype, tensor.dtype) << tensor.name;
    EXPECT_EQ(other->shape, tensor.shape) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(other->data, tensor.data)) << tensor.name;
  }
}

TEST(OpenModelFolderTest, VectorsOfSixteenBitsAreReadAsFloats) {
  const Twins twins(kLlama);
  SafetensorsWriter more;
  more.add("model.embed_tokens.weight", "F32", {1, 2}, std::string(8, '\0'));
  more.add("model.norm.weight", "BF16", {2}, std::string("\x80\x3f\x00\xc0", 4));
  more.add("model.layers.0.input_layernorm.weight", "F16", {2}, std::string("\x00\x3c\x00\xc0", 4));
  twins.dir().file("model.safetensors", more.bytes());
  const Gguf gguf = open_model_folder(twins.folder());
  for (const char* name : {"output_norm.weight", "blk.0.attn_norm.weight"}) {
    const GgufTensor* tensor = gguf.find_tensor(name);
    ASSERT_NE(tensor, nullptr) << name;
    EXPECT_EQ(tensor->dtype, Dtype::F32);
    const float want[] = {1, -2};
    EXPECT_EQ(std::memcmp(tensor->data.data(), want, sizeof want), 0) << name;
  }
}

TEST(OpenModelFolderTest, TheModelHasTheNameOfItsFolderOrRepository) {
  const TempDir dir;
  const Gguf file = [&] {
    twin_file(kLlama).write((dir / "twin.gguf").string());
    return Gguf((dir / "twin.gguf").string());
  }();
  const TempDir plain;
  write_tiny_folder(plain, file, kLlama);
  EXPECT_EQ(open_model_folder(plain.path().string() + "/").find_string("general.name"),
            plain.path().filename().string());
  const auto cached = dir / "models--org--Tiny-7B/snapshots/0123abcd";
  std::filesystem::create_directories(cached.parent_path());
  std::filesystem::copy(plain.path(), cached);
  EXPECT_EQ(open_model_folder(cached.string()).find_string("general.name"), "Tiny-7B");
}

TEST(OpenModelFolderTest, WhatIsMissingOrUnknownIsNamed) {
  const Twins twins(kLlama);
  const std::string weights = read_file(twins.dir() / "model.safetensors");
  const auto error_with = [&](const std::string& name, const std::string& dtype) {
    SafetensorsWriter writer;
    writer.add(name, dtype, {2, 2}, std::string(dtype == "F8_E4M3" ? 4 : 8, '\0'));
    twins.dir().file("model.safetensors", writer.bytes());
    return error_of([&] { open_model_folder(twins.folder()); });
  };
  EXPECT_EQ(error_with("model.layers.0.mystery.weight", "BF16"),
            twins.folder() +
                ": tensor model.layers.0.mystery.weight would be ignored, and answers would be "
                "wrong: this version does not support this variant of LlamaForCausalLM; use a GGUF "
                "file of the model");
  EXPECT_EQ(error_with("model.layers.0.mlp.up_proj.weight", "F8_E4M3"),
            twins.folder() +
                ": tensor model.layers.0.mlp.up_proj.weight has type F8_E4M3, expected F32, F16 or "
                "BF16; use the model that it was made from, or a GGUF file of it");
  EXPECT_EQ(error_with("model.norm.weight", "BF16"),
            twins.folder() + ": has no matrix embed_tokens.weight");
  twins.dir().file("model.safetensors", weights);
  std::filesystem::remove(twins.dir() / "tokenizer.json");
  EXPECT_EQ(error_of([&] { open_model_folder(twins.folder()); }),
            twins.folder() +
                ": has no tokenizer.json; save the tokenizer with transformers, or "
                "use a GGUF file of the model");
}

}  // namespace
}  // namespace confab::engine
