// SPDX-License-Identifier: MIT
#include "app/stores/store_file.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(StoreFileTest, WhatIsNoModelByItselfIsToldByItsName) {
  for (const char* name : {"mmproj-model-f16.gguf", "gemma-3-4b-it-mmproj-F16.gguf", "MMPROJ.gguf"})
    EXPECT_EQ(kind_of(name), StoreFileKind::projector) << name;
  for (const char* name : {"imatrix.gguf", "Qwen3-8B-imatrix.gguf", "imatrix_unsloth.gguf"})
    EXPECT_EQ(kind_of(name), StoreFileKind::importance_matrix) << name;
  for (const char* name : {"mtp-Qwen3.gguf", "MTP-x-Q8_0.gguf", "eagle3-llama.gguf",
                           "dflash-a-Q4_0.gguf", "dspark-a.gguf", "org_repo_mtp-a.gguf"})
    EXPECT_EQ(kind_of(name), StoreFileKind::draft) << name;
  for (const char* name : {"llama-Q4_K_M.gguf", "Llama-3-8B-imatrix-Q4_K_M.gguf", "smtp-1b.gguf",
                           "Qwen3-Next-MTP-Q4_K_M.gguf", "x.gguf"})
    EXPECT_EQ(kind_of(name), StoreFileKind::model) << name;
}

TEST(StoreFileTest, ShardsHaveAPlaceAmongOthers) {
  const auto shard = shard_of("m-Q4_K_M-00002-of-00003.gguf");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->stem, "m-Q4_K_M");
  EXPECT_EQ(shard->index, 2);
  EXPECT_EQ(shard->count, 3);
  EXPECT_EQ(shard->file_name(1), "m-Q4_K_M-00001-of-00003.gguf");
  for (const char* name : {"end-of-story.gguf", "m-0002-of-0003.gguf", "m-00004-of-00003.gguf",
                           "m-00000-of-00003.gguf", "m-00001-of-00003", "-00001-of-00003.gguf",
                           "m-0000a-of-00003.gguf"})
    EXPECT_FALSE(shard_of(name)) << name;
}

TEST(StoreFileTest, ASidecarIsForTheModelWhoseNameItHas) {
  EXPECT_TRUE(is_made_for("mmproj-gemma-3-4b-it-f16.gguf", "gemma-3-4b-it-Q4_K_M.gguf"));
  EXPECT_TRUE(is_made_for("mtp-Qwen3-8B-Q8_0.gguf", "qwen3-8b-q4_k_m.gguf"));
  EXPECT_FALSE(is_made_for("mmproj-gemma-3-4b-it-f16.gguf", "gemma-3-12b-it-Q4_K_M.gguf"));
  EXPECT_FALSE(is_made_for("mmproj.gguf", "gemma-3-12b-it-Q4_K_M.gguf"));
}

TEST(StoreFileTest, ExtensionsCountInAnyCase) {
  EXPECT_TRUE(is_gguf("/a/b.gguf"));
  EXPECT_TRUE(is_gguf("b.GGUF"));
  EXPECT_FALSE(is_gguf("b.gguf.part"));
  EXPECT_FALSE(is_gguf("gguf"));
}

TEST(StoreFileTest, StoresHaveTheNamesOfTheirPrograms) {
  EXPECT_EQ(name_of(Store::bundled), "bundled");
  EXPECT_EQ(name_of(Store::hugging_face), "Hugging Face");
  EXPECT_EQ(name_of(Store::gpt4all), "GPT4All");
}

}  // namespace
}  // namespace confab::app
