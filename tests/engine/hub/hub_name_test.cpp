// SPDX-License-Identifier: MIT
#include "engine/hub/hub_name.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(HubNameTest, IsReadAsPeopleTypeIt) {
  EXPECT_EQ(parse_hub_name("org/name"), (HubName{"org", "name"}));
  EXPECT_EQ(parse_hub_name("org/name:q4_k_m"), (HubName{"org", "name", "q4_k_m"}));
  EXPECT_EQ(parse_hub_name("hf.co/org/name:Q8_0"), (HubName{"org", "name", "Q8_0"}));
  EXPECT_EQ(parse_hub_name("https://huggingface.co/org/na.me-1"), (HubName{"org", "na.me-1"}));
  EXPECT_EQ(parse_hub_name("org/name/dir/a.gguf"), (HubName{"org", "name", "dir/a.gguf"}));
  EXPECT_EQ(parse_hub_name("org/name:a.gguf"), (HubName{"org", "name", "a.gguf"}));
}

TEST(HubNameTest, WhatCouldLeaveAFolderIsNone) {
  for (const char* odd : {"", "name", "/name", "org/", "../x", "org/..", "org/a..b", "or g/x",
                          "org/x:", "org/x/../y.gguf", "org/x:../y.gguf", "org/na--me", "org/x\n",
                          "org/x:\x1b[1m", "-o/x", "org/x/y", ".a/b"})
    EXPECT_EQ(parse_hub_name(odd), std::nullopt) << odd;
}

TEST(HubNameTest, PathsStayInTheirFolder) {
  for (const char* safe : {"a.gguf", "Q4/a b.gguf", "a/b/c", "\xC3\xA4.gguf", "..a", "a.."})
    EXPECT_TRUE(is_safe_path(safe)) << safe;
  for (const char* odd :
       {"", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "./a", "a\nb", "a\x7F", "a\\b",
        "\xC2\x9B"
        "1m"})
    EXPECT_FALSE(is_safe_path(odd)) << odd;
  EXPECT_FALSE(is_safe_path(std::string("a\0b", 3)));
  EXPECT_FALSE(is_safe_path(std::string(256, 'a')));
  EXPECT_TRUE(is_safe_path(std::string(255, 'a')));
}

TEST(HubNameTest, KnowsTheQuantisation) {
  EXPECT_EQ(quantisation_of("Model-7B-Q4_K_M.gguf"), "Q4_K_M");
  EXPECT_EQ(quantisation_of("dir-Q8_0/model.q4_0.gguf"), "q4_0");
  EXPECT_EQ(quantisation_of("M-UD-Q4_K_XL-00001-of-00002.gguf"), "UD-Q4_K_XL");
  EXPECT_EQ(quantisation_of("M-IQ2_XXS.gguf"), "IQ2_XXS");
  EXPECT_EQ(quantisation_of("gpt-oss-20b-mxfp4.gguf"), "mxfp4");
  EXPECT_EQ(quantisation_of("M-BF16.gguf"), "BF16");
  EXPECT_EQ(quantisation_of("m-BF16-00001-of-00002.gguf"), "BF16");
  EXPECT_EQ(quantisation_of("bitnet-TQ1_0.GGUF"), "TQ1_0");
  EXPECT_EQ(quantisation_of("m.fp16.gguf"), "fp16");
  for (const char* name : {"Qwen3-8B.gguf", "x.gguf", ".gguf", "a-quick_1.gguf", "a-q.gguf", ""})
    EXPECT_EQ(quantisation_of(name), "") << name;
}

}  // namespace
}  // namespace confab::engine
