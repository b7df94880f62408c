// SPDX-License-Identifier: MIT
#include "app/cli/model_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace confab::app {
namespace {

class ModelOptionsTest : public testing::Test {
 protected:
  ModelOptionsTest() {
    add_model_options(app_, options_);
    add_context_options(app_, options_);
    add_draft_options(app_, options_);
  }
  void parse(std::vector<std::string> words) {
    std::ranges::reverse(words);  // as CLI11 takes them
    app_.parse(words);
  }
  std::string fault(const std::vector<std::string>& words) {
    try {
      parse(words);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return {};
  }

  CLI::App app_;
  ModelOptions options_;
};

TEST_F(ModelOptionsTest, SayWhichModelRunsAndHow) {
  parse({"-m", "a.gguf", "-t", "3", "-c", "4096", "-b", "64", "--cache-type-k", "f16"});
  EXPECT_EQ(options_.path, "a.gguf");
  EXPECT_TRUE(options_.named);
  EXPECT_EQ(options_.n_threads, 3);
  EXPECT_EQ(options_.n_ctx, 4096);
  EXPECT_EQ(options_.n_batch, 64);
  EXPECT_EQ(options_.type_k, kernels::Dtype::F16);
  EXPECT_EQ(options_.type_v, std::nullopt);
}

TEST_F(ModelOptionsTest, SayWhichModelDraftsAndHow) {
  parse({"--model-draft", "b.gguf", "--draft-max", "5", "--draft-min", "2", "--draft-p-min", "0.25",
         "--no-lookup"});
  EXPECT_EQ(options_.draft.path, "b.gguf");
  EXPECT_TRUE(options_.draft.wanted);
  EXPECT_EQ(options_.draft.most, 5);
  EXPECT_EQ(options_.draft.least, 2);
  EXPECT_EQ(options_.draft.p_min, 0.25F);
  EXPECT_TRUE(options_.drafts);
  EXPECT_FALSE(options_.lookup);
  parse({"--no-draft"});
  EXPECT_FALSE(options_.drafts);
}

TEST_F(ModelOptionsTest, WhatCannotBeIsNamed) {
  EXPECT_THAT(fault({"--draft-p-min", "1.5"}),
              testing::HasSubstr("--draft-p-min must be a number from 0 to 1, not 1.5"));
  EXPECT_THAT(fault({"--draft-max", "16"}), testing::HasSubstr("--draft-max"));
  EXPECT_THAT(fault({"--cache-type-v", "q2_k"}),
              testing::HasSubstr("--cache-type-v must be one of f32, "));
  EXPECT_THAT(fault({"-t", "0"}), testing::HasSubstr("--threads"));
  EXPECT_FALSE(options_.named);
}

}  // namespace
}  // namespace confab::app
