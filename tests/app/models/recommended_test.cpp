// SPDX-License-Identifier: MIT
#include "app/models/inference.h"

#include <gtest/gtest.h>

#include "tests/app/home_dir.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

ModelOptions model_at(const std::string& path) {
  ModelOptions options;
  options.path = path;
  return options;
}

TEST(RecommendedTest, IsWhatTheFileSays) {
  const TempDir home;
  const std::string file = home / "a.gguf";
  engine::tiny_model().add("general.sampling.temp", 0.5F).write(file);
  const auto found = recommended_sampling(model_at(file));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "temp");
  EXPECT_EQ(found[0].value, 0.5);
}

TEST(RecommendedTest, AnOllamaModelHasItsParametersBeforeThoseOfItsFile) {
  const HomeDir home;
  const std::string root = ".ollama/models/";
  engine::tiny_model()
      .add("general.sampling.temp", 0.5F)
      .write(home.file(root + "blobs/sha256-1", ""));
  home.file(root + "blobs/sha256-2", R"({"temperature": 0.25})");
  home.file(
      root + "manifests/registry.ollama.ai/library/own/latest",
      R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:1"},
                {"mediaType": "application/vnd.ollama.image.params", "digest": "sha256:2"}]})");
  const auto found = recommended_sampling(model_at("own"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "temperature");
  EXPECT_EQ(found[0].value, 0.25);
  EXPECT_EQ(found[1].name, "temp");
}

TEST(RecommendedTest, AFileThatCannotBeReadSaysNothing) {
  const TempDir home;
  EXPECT_TRUE(recommended_sampling(model_at("/nowhere.gguf")).empty());
  EXPECT_TRUE(recommended_sampling(model_at(home.file("a.gguf", "GGUF"))).empty());
}

}  // namespace
}  // namespace confab::app
