// SPDX-License-Identifier: MIT
#include "app/stores/ollama.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRoot = "home/.ollama/models";

std::vector<std::string> found(const FakeHome& home) {
  std::vector<std::string> names;
  for (const OllamaModel& model : ollama_models(home.places())) names.push_back(model.name);
  return names;
}

TEST(OllamaTest, NamesAreThoseThatOllamaShows) {
  const FakeHome home;
  home.ollama(kRoot, "registry.ollama.ai/library/llama3.2/3b", {{"model", "1a"}});
  home.ollama(kRoot, "registry.ollama.ai/somebody/mario/latest", {{"model", "1b"}});
  home.ollama(kRoot, "hf.co/org/repo-GGUF/Q4_K_M", {{"model", "1c"}});
  home.ollama(kRoot, "models.example.com:5000/team/own/v1", {{"model", "1d"}});
  home.ollama(kRoot, "registry.ollama.ai/library/short", {{"model", "1e"}});
  EXPECT_THAT(found(home),
              ElementsAre("hf.co/org/repo-GGUF:Q4_K_M", "models.example.com:5000/team/own:v1",
                          "llama3.2:3b", "somebody/mario:latest"));
}

TEST(OllamaTest, LayersAreTheBlobsOfTheirDigests) {
  const FakeHome home;
  home.ollama(kRoot, "registry.ollama.ai/library/m/latest",
              {{"license", "0"},
               {"model", "12ab"},
               {"projector", "2"},
               {"draft", "3"},
               {"system", "4"},
               {"params", "5"},
               {"template", "6"}});
  const auto models = ollama_models(home.places());
  ASSERT_EQ(models.size(), 1u);
  const auto blob = [&](const std::string& hex) {
    return home.at(".ollama/models/blobs/sha256-" + hex);
  };
  EXPECT_EQ(models[0].weights, blob("12ab"));
  EXPECT_EQ(models[0].system, blob("4"));
  EXPECT_EQ(models[0].params, blob("5"));
  EXPECT_EQ(models[0].chat_template, blob("6"));
  const std::vector<StoreFile> files = ollama_files(models);
  EXPECT_THAT(names_of(files), ElementsAre("m:latest", "m:latest projector", "m:latest draft"));
  EXPECT_EQ(files[1].kind, StoreFileKind::projector);
  EXPECT_EQ(files[2].kind, StoreFileKind::draft);
  EXPECT_EQ(files[2].path, blob("3"));
  EXPECT_EQ(files[2].group, files[0].group);
}

TEST(OllamaTest, WhatHasNoWholeWeightsIsLeftOut) {
  const FakeHome home;
  const std::string library = "registry.ollama.ai/library/";
  home.ollama(kRoot, library + "cloud/latest", {{"license", "1"}});
  home.ollama(kRoot, library + "lora/latest", {{"adapter", "2"}});
  home.ollama(kRoot, library + "mlx/latest", {{"tensor", "3"}, {"tensor", "4"}});
  home.ollama(kRoot, library + "pulling/latest", {{"model", "5"}});
  const auto blob = home.at(".ollama/models/blobs/sha256-5");
  std::filesystem::rename(blob, blob.string() + "-partial");
  EXPECT_THAT(found(home), IsEmpty());
}

TEST(OllamaTest, WeightsThatNeedAnAdapterAreNotOffered) {
  const FakeHome home;
  home.ollama(kRoot, "registry.ollama.ai/library/mine/latest", {{"model", "1"}, {"adapter", "2"}});
  const auto models = ollama_models(home.places());
  ASSERT_EQ(models.size(), 1u);
  EXPECT_TRUE(models[0].has_adapter);
  EXPECT_THAT(ollama_files(models), IsEmpty());
}

TEST(OllamaTest, ManifestsThatSayNonsenseAreLeftOut) {
  const FakeHome home;
  home.text(".ollama/models/blobs/sha256-ab", "GGUF");
  home.text(".ollama/models/secret", "GGUF");
  const std::string layer = R"({"layers": [{"mediaType": "application/vnd.ollama.image.model",)";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"layers": 3})"),
        std::string(R"({"layers": [3, {"digest": 4}]})"), layer + R"("digest": 3}]})",
        layer + R"("digest": "sha256:../../secret"}]})", layer + R"("digest": "../secret"}]})",
        layer + R"("digest": "sha256:"}]})", layer + R"("digest": "sha256:AB"}]})",
        std::string(100'000, '[')}) {
    home.text(".ollama/models/manifests/registry.ollama.ai/library/x/t", text);
    EXPECT_THAT(found(home), IsEmpty()) << text.substr(0, 100);
  }
}

TEST(OllamaTest, LooksWhereAVariableSaysAtHomeAndWhereTheServiceHasThem) {
  FakeHome home;
  home.variables["OLLAMA_MODELS"] = home.at("big disk");
  home.ollama("home/big disk", "registry.ollama.ai/library/a/latest", {{"model", "1"}});
  home.ollama(kRoot, "registry.ollama.ai/library/b/latest", {{"model", "2"}});
  home.ollama("root/usr/share/ollama/.ollama/models", "registry.ollama.ai/library/c/latest",
              {{"model", "3"}});
  EXPECT_THAT(found(home), ElementsAre("a:latest", "b:latest", "c:latest"));
}

}  // namespace
}  // namespace confab::app
