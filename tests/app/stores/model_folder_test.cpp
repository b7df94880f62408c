// SPDX-License-Identifier: MIT
#include "app/stores/model_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Of the folder m.
std::vector<std::string> found(const FakeHome& home, int depth = 3) {
  std::vector<std::string> names;
  for (const auto& model : models_in(home.at("m"), depth))
    names.push_back(model.lexically_relative(home.at("m")).string());
  return names;
}

TEST(ModelFolderTest, AFolderWithAClassThatWritesTextIsAModel) {
  const FakeHome home;
  home.safetensors("m/llama");
  home.safetensors("m/sees", "Gemma3ForConditionalGeneration");
  home.safetensors("m/unsupported", "MambaForCausalLM");
  home.shards("m/deep/er");
  home.model("m/file.gguf");
  EXPECT_THAT(found(home), ElementsAre("deep/er", "file.gguf", "llama", "sees", "unsupported"));
  EXPECT_THAT(found(home, 1), ElementsAre("file.gguf", "llama", "sees", "unsupported"));
  home.safetensors("m");
  std::filesystem::remove(home.at("m/file.gguf"));
  EXPECT_THAT(found(home, 0), ElementsAre("."));
}

TEST(ModelFolderTest, WhatOnlyLooksLikeOneIsNone) {
  const FakeHome home;
  home.model("m/no-config/model.safetensors");
  home.text("m/adapter/adapter_config.json", R"({"base_model_name_or_path": "x"})");
  home.model("m/adapter/adapter_model.safetensors");
  home.text("m/merged-adapter/config.json", R"({"architectures": ["LlamaForCausalLM"]})");
  home.model("m/merged-adapter/adapter_model.safetensors");
  home.safetensors("m/bert", "BertModel");
  home.safetensors("m/eagle", "LlamaForCausalLMEagle3");
  home.safetensors("m/vectors", "Qwen3ForCausalLM");
  home.text("m/vectors/modules.json", "[]");
  home.safetensors("m/vectors2", "Qwen3ForCausalLM");
  home.text("m/vectors2/config_sentence_transformers.json", "{}");
  home.safetensors("m/broken");
  home.text("m/broken/config.json", R"({"architectures": ["LlamaFor)");
  home.safetensors("m/odd");
  for (const char* config : {"[]", "{}", R"({"architectures": []})", R"({"architectures": [3]})",
                             R"({"architectures": "LlamaForCausalLM"})"}) {
    home.text("m/odd/config.json", config);
    EXPECT_THAT(found(home), IsEmpty()) << config;
  }
}

TEST(ModelFolderTest, ThePartsOfAPipelineAreNone) {
  const FakeHome home;
  home.text("m/flux/model_index.json", "{}");
  home.safetensors("m/flux/text_encoder", "Mistral3ForConditionalGeneration");
  home.safetensors("m/flux/text_encoder/deeper");
  home.safetensors("m/other");
  EXPECT_THAT(found(home), ElementsAre("other"));
}

TEST(ModelFolderTest, AModelThatIsAGgufFileTooIsThat) {
  const FakeHome home;
  home.safetensors("m/both");
  home.model("m/both/both-Q4_K_M.gguf");
  home.safetensors("m/sees");
  home.model("m/sees/mmproj-F16.gguf");
  EXPECT_THAT(found(home), ElementsAre("both/both-Q4_K_M.gguf", "sees", "sees/mmproj-F16.gguf"));
}

TEST(ModelFolderTest, TheIndexSaysInWhichFilesTheWeightsAre) {
  const FakeHome home;
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& file : weight_files(home.at("m"))) names.push_back(file.filename().string());
    return names;
  };
  home.safetensors("m");
  EXPECT_THAT(files(), ElementsAre("model.safetensors"));
  home.shards("m");
  std::filesystem::remove(home.at("m/model-2.safetensors"));
  EXPECT_THAT(files(), ElementsAre("model-1.safetensors", "model-2.safetensors"));
  for (const char* index : {"{", "[]", "{}", R"({"weight_map": []})",
                            R"({"weight_map": {"a": 3, "b": "../x", "c": "/etc/passwd"}})"}) {
    home.text("m/model.safetensors.index.json", index);
    EXPECT_THAT(files(), IsEmpty()) << index;
  }
}

}  // namespace
}  // namespace confab::app
