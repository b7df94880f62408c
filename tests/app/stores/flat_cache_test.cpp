// SPDX-License-Identifier: MIT
#include "app/stores/hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;

TEST(FlatCacheTest, ManifestsTellTheRepositoryOfAFile) {
  const FakeHome home;
  const std::string cache = ".cache/llama.cpp/";
  home.model(cache + "ggml-org_gemma_x-GGUF_gemma-Q4_K_M.gguf");
  home.model(cache + "ggml-org_gemma_x-GGUF_mtp-gemma.gguf");
  home.model(cache + "other_thing.gguf");
  home.model(cache + "other_thing.gguf.downloadInProgress");
  home.text(cache + "other_thing.gguf.etag", "x");
  home.text(cache + "manifest=ggml-org=gemma_x-GGUF=latest.json", "{}");
  home.text(cache + "manifest=ggml-org=gemma=latest.json", "{}");
  home.text(cache + "manifest=nonsense.json", "{}");
  const std::vector<StoreFile> files = flat_cache_files(home.places());
  EXPECT_THAT(names_of(files),
              ElementsAre("ggml-org/gemma_x-GGUF/gemma-Q4_K_M.gguf",
                          "ggml-org/gemma_x-GGUF/mtp-gemma.gguf", "other_thing.gguf"));
  EXPECT_EQ(files[0].group, files[1].group);
  EXPECT_EQ(files[1].kind, StoreFileKind::draft);
  EXPECT_EQ(files[2].group, "");
}

TEST(FlatCacheTest, IsWhereLlamaCppPutsIt) {
  FakeHome home;
  home.model(".cache/llama.cpp/linux.gguf");
  home.model("Library/Caches/llama.cpp/mac.gguf");
  home.model("xdg/llama.cpp/xdg.gguf");
  home.model("own/own.gguf");
  EXPECT_THAT(names_of(flat_cache_files(home.places())), ElementsAre("linux.gguf"));
  EXPECT_THAT(names_of(flat_cache_files(home.places(true))), ElementsAre("mac.gguf"));
  home.variables["XDG_CACHE_HOME"] = home.at("xdg");
  EXPECT_THAT(names_of(flat_cache_files(home.places())), ElementsAre("xdg.gguf"));
  EXPECT_THAT(names_of(flat_cache_files(home.places(true))), ElementsAre("mac.gguf"));
  home.variables["LLAMA_CACHE"] = home.at("own");
  EXPECT_THAT(names_of(flat_cache_files(home.places(true))), ElementsAre("own.gguf"));
}

}  // namespace
}  // namespace confab::app
