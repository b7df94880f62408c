// SPDX-License-Identifier: MIT
#include "app/stores/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;

std::vector<std::string> found(const FakeHome& home) {
  return names_of(lm_studio_files(home.places()));
}

TEST(LmStudioTest, FilesAreCalledByPublisherAndModel) {
  const FakeHome home;
  home.model(".lmstudio/models/pub/model/m-Q4_K_M.gguf");
  home.model(".lmstudio/models/pub/model/mmproj-m.gguf");
  home.model(".lmstudio/models/pub/model/downloading.gguf.part");
  home.model(".lmstudio/hub/models/pub/model/manifest.gguf");
  home.model(".cache/lm-studio/models/pub/older/o.gguf");
  const auto files = lm_studio_files(home.places());
  EXPECT_THAT(names_of(files), ElementsAre("pub/model/m-Q4_K_M.gguf", "pub/model/mmproj-m.gguf",
                                           "pub/older/o.gguf"));
  EXPECT_EQ(files[1].kind, StoreFileKind::projector);
  EXPECT_EQ(files[0].group, files[1].group);
}

TEST(LmStudioTest, ModelsForMlxAreFolders) {
  const FakeHome home;
  home.safetensors(".lmstudio/models/mlx-community/Qwen3-4B-4bit", "Qwen3ForCausalLM");
  home.shards(".lmstudio/models/mlx-community/big");
  EXPECT_THAT(found(home), ElementsAre("mlx-community/Qwen3-4B-4bit", "mlx-community/big"));
}

TEST(LmStudioTest, ThePointerSaysWhereItsHomeIs) {
  const FakeHome home;
  home.model(".lmstudio/models/pub/model/not-here.gguf");
  home.model("elsewhere/models/pub/model/here.gguf");
  home.text(".lmstudio-home-pointer", home.at("elsewhere").string() + "\n");
  EXPECT_THAT(found(home), ElementsAre("pub/model/here.gguf"));
}

TEST(LmStudioTest, SettingsSayWhereModelsAre) {
  const FakeHome home;
  home.model(".lmstudio/models/pub/model/by-default.gguf");
  home.model("big/pub/model/there.gguf");
  home.text(".lmstudio/settings.json", R"({"downloadsFolder": "~/big", "x": 1})");
  EXPECT_THAT(found(home), ElementsAre("pub/model/there.gguf"));
  for (const char* text : {"{", R"({"downloadsFolder": 3})", R"({"downloadsFolder": ""})", "[]"}) {
    home.text(".lmstudio/settings.json", text);
    EXPECT_THAT(found(home), ElementsAre("pub/model/by-default.gguf")) << text;
  }
}

}  // namespace
}  // namespace confab::app
