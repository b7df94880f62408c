// SPDX-License-Identifier: MIT
// Families with more than attention and a feed-forward: folders made of golden models against the
// logits that the reference gave for these.
#include "engine/safetensors/model_config.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/safetensors/open_model.h"
#include "kernels/quantize.h"
#include "tests/engine/error_of.h"
#include "tests/engine/ollama/rewritten_file.h"
#include "tests/engine/safetensors/golden_families.h"
#include "tests/engine/safetensors/gpt_oss_twins.h"
#include "tests/engine/safetensors/twin_logits.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

constexpr double kNmse = 1e-10;  // of the golden data's README
constexpr double kMaxAbs = 5e-4;

class FamilyFidelityTest : public testing::TestWithParam<golden::Family> {
 protected:
  FamilyFidelityTest() : golden_(golden_case(GetParam().golden)) {
    golden::write_family(dir_, GetParam());
  }
  std::vector<float> logits(Gguf gguf) const {
    Hparams hparams = Hparams::load(gguf);
    Weights weights = Weights::load(gguf, hparams);
    const Model model{std::move(gguf), std::move(hparams), std::move(weights), nullptr};
    return run_model(model, golden_.tokens(), {}, {40, 1});
  }
  std::string made_of(Gguf gguf, const char* name) const {
    const std::string path = (dir_ / name).string();
    quantize(std::move(gguf), path, "BF16");
    return path;
  }

  TempDir dir_;
  GoldenCase golden_;
};

void expect_close(const std::vector<float>& got, const std::vector<float>& want) {
  const Difference d = difference(std::span<const float>(got), std::span<const float>(want));
  EXPECT_LE(d.nmse, kNmse);
  EXPECT_LE(d.max_abs, kMaxAbs);
}

TEST_P(FamilyFidelityTest, LogitsOfTheFolderAreTheReferences) {
  expect_close(logits(open_model_folder(dir_.path().string())), golden_.runs().front().logits);
}

// What `confab quantize` makes of it has the order of a GGUF file, and no key that says otherwise.
TEST_P(FamilyFidelityTest, AGgufMadeOfItIsThatOfTheGolden) {
  const std::string made = made_of(open_model_folder(dir_.path().string()), "made.gguf");
  const Gguf gguf(made);
  for (const GgufKey& key : gguf.keys()) EXPECT_EQ(key.name.find("tiled"), key.name.npos);
  expect_close(logits(Gguf(made)), logits(Gguf(made_of(Gguf(golden_.model()), "golden.gguf"))));
}

INSTANTIATE_TEST_SUITE_P(All, FamilyFidelityTest,
                         testing::Values(golden::deepseek_v2(), golden::deepseek_v3(),
                                         golden::qwen3next(), golden::qwen3next_of_mlx(),
                                         golden::qwen35(), golden::qwen35moe(), golden::olmo3()),
                         [](const testing::TestParamInfo<golden::Family>& tested) {
                           std::string name =
                               tested.param.config["architectures"][0].get<std::string>() +
                               tested.param.form;
                           std::erase(name, '_');
                           return name;
                         });

// The golden model of DeepSeek-V3 as llama.cpp's converter would write it of GLM-4.7-Flash, whose
// class has no golden of its own: against the folder of it.
TEST(GlmFlashFolderTest, LogitsAreThoseOfTheSameWeightsInGguf) {
  const TempDir dir;
  golden::write_family(dir, golden::glm4_moe_lite());
  RewrittenFile file("deepseek2-v3");
  const std::vector<float> of_deepseek = golden_logits_of(file.open());
  for (const char* key :
       {"expert_group_count", "expert_group_used_count", "rope.scaling.type", "rope.scaling.factor",
        "rope.scaling.original_context_length", "rope.scaling.yarn_log_multiplier"})
    file.drop(std::string("deepseek2.") + key);
  file.set("deepseek2.expert_weights_scale", 1.8F);
  const std::vector<float> want = golden_logits_of(file.open()),
                           got = golden_logits_of(open_model_folder(dir.path().string()));
  expect_close(got, want);
  EXPECT_GT(distance(of_deepseek, want), 1e-3) << "the keys do not matter";
}

class GptOssFolderTest : public testing::Test {
 protected:
  std::string made_of(Gguf gguf, const char* name, const char* type) const {
    const std::string path = (twins_.dir() / name).string();
    quantize(std::move(gguf), path, type);
    return path;
  }
  std::string error_with(const nlohmann::json& more) const {
    nlohmann::json config = gpt_oss::Twins::config();
    config.update(more);
    twins_.dir().file("config.json", config.dump());
    return error_of([&] { open_model_folder(twins_.folder()); });
  }
  std::string error() const {
    return error_of([&] { logits_of(open_model_folder(twins_.folder())); });
  }

  gpt_oss::Twins twins_;
};

TEST_F(GptOssFolderTest, LogitsAreThoseOfTheSameWeightsInGguf) {
  const std::vector<float> want = logits_of(Gguf(twins_.file())),
                           got = logits_of(open_model_folder(twins_.folder()));
  EXPECT_TRUE(same_bits(got, want)) << distance(got, want);
  EXPECT_GT(distance(got, std::vector<float>(got.size(), got.front())), 0.1);
}

TEST_F(GptOssFolderTest, ExpertsStayWhereTheyAreInTheFile) {
  const Gguf gguf = open_model_folder(twins_.folder());
  const std::string file = read_file(gguf.part_paths()[0]);
  for (const char* name : {"blk.1.ffn_gate_up_pairs.weight", "blk.1.ffn_down_exps.weight"}) {
    const GgufTensor* tensor = gguf.find_tensor(name);
    ASSERT_NE(tensor, nullptr) << name;
    const auto found = [&](const std::byte* data, std::size_t n) {
      return file.find({reinterpret_cast<const char*>(data), n}) != file.npos;
    };
    EXPECT_TRUE(found(tensor->data.data(), tensor->data.size())) << name;
    EXPECT_TRUE(found(tensor->side.scales, 64)) << name;
    EXPECT_EQ(tensor->n_bytes(), tensor->data.size() / 16 * 17) << name;
  }
}

TEST_F(GptOssFolderTest, AGgufMadeOfItIsThatOfTheTwinsNumbers) {
  const Gguf got(made_of(open_model_folder(twins_.folder()), "got.gguf", "Q8_0"));
  const Gguf twin(twins_.file());
  EXPECT_EQ(got.find_tensor("blk.0.ffn_gate_up_pairs.weight"), nullptr);
  ASSERT_EQ(got.tensors().size(), twin.tensors().size());
  for (const GgufKey& key : twin.keys()) {
    ASSERT_NE(got.find(key.name), nullptr) << key.name << ": llama.cpp wants it";
    EXPECT_TRUE(*got.find(key.name) == key.value) << key.name;
  }
  const kernels::KernelTable& table = *kernels::kernel_table(kernels::Isa::scalar);
  for (const GgufTensor& tensor : twin.tensors()) {
    const GgufTensor* other = got.find_tensor(tensor.name);
    ASSERT_NE(other, nullptr) << tensor.name;
    ASSERT_EQ(other->shape, tensor.shape) << tensor.name;
    if (other->dtype != kernels::Dtype::Q8_0) continue;
    std::vector<float> row(static_cast<std::size_t>(tensor.shape[0]));
    std::string want(other->data.size(), '\0');
    const std::size_t row_bytes = kernels::row_bytes(other->dtype, tensor.shape[0]);
    for (std::int64_t r = 0; r < tensor.n_rows(); ++r) {
      table.decode_weights(tensor.rows(), r, row.data());
      kernels::quantize_row(
          table, other->dtype, row.data(), tensor.shape[0],
          reinterpret_cast<std::byte*>(want.data()) + row_bytes * static_cast<std::size_t>(r));
    }
    EXPECT_EQ(std::memcmp(other->data.data(), want.data(), want.size()), 0) << tensor.name;
  }
}

TEST_F(GptOssFolderTest, WhatCannotBeRunIsNamed) {
  EXPECT_THAT(error_with({{"swiglu_limit", 5.5}}),
              HasSubstr("\"swiglu_limit\" is 5.5, expected 7"));
  EXPECT_THAT(
      error_with({{"layer_types",
                   {"full_attention", "full_attention", "full_attention", "full_attention"}}}),
      HasSubstr("\"layer_types\" has other windows than every other layer's"));
  EXPECT_EQ(error_with(nlohmann::json::object()), "");
  const std::string experts = "model.layers.2.mlp.experts.";
  twins_.write_weights(experts + "down_proj_scales");
  EXPECT_THAT(error(), HasSubstr(experts + "down_proj_blocks has no " + experts +
                                 "down_proj_scales beside it; download the model again"));
  twins_.write_weights(experts + "down_proj_scales", experts + "down_proj_scales", "U8",
                       {4, 64, 2});
  EXPECT_THAT(error(), HasSubstr("down_proj_scales has type U8 and shape [4, 64, 2], expected U8 "
                                 "and [4, 64, 3]"));
  twins_.write_weights(experts + "down_proj_blocks", experts + "down_proj_blocks", "U8",
                       {4, 64, 48});
  EXPECT_THAT(error(), HasSubstr("down_proj_blocks has type U8 and shape [4, 64, 48], expected U8 "
                                 "in blocks of 16"));
  twins_.write_weights(experts + "gate_up_proj_bias", experts + "gate_up_proj_bias", "BF16",
                       {4, 193});
  EXPECT_THAT(error(), HasSubstr("gate_up_proj_bias has 193 biases of an expert, expected pairs"));
  twins_.write_weights(experts + "gate_up_proj_blocks", experts + "gate_up_proj_blocks", "U8",
                       {4, 191, 2, 16});
  EXPECT_THAT(error(), HasSubstr("gate_up_proj_scales has type U8 and shape [4, 192, 2]"));
  twins_.write_weights(experts + "gate_up_proj_blocks");
  EXPECT_THAT(error(), HasSubstr(experts + "gate_up_proj_scales would be ignored"));
}

// As fine-tuned models have it, whose experts were turned into BF16.
TEST_F(GptOssFolderTest, ExpertsByColumnsAreRefused) {
  const std::string down = "model.layers.2.mlp.experts.down_proj";
  twins_.write_weights(down, down, "BF16", {4, 96, 64});
  EXPECT_THAT(error(), HasSubstr("tensor " + down + " has its experts column by column in BF16"));
}

}  // namespace
}  // namespace confab::engine
