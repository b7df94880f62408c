// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

BatchOptions parsed(const std::vector<std::string>& words, const ChatOptions& defaults = {}) {
  return std::get<BatchOptions>(parse_command_line(words, defaults));
}

std::string fault(const std::vector<std::string>& words) {
  try {
    parsed(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(BatchOptionsTest, HasTheFilesAndHowTheyAreAnswered) {
  const BatchOptions usual = parsed({"batch", "in.jsonl", "--out", "out.jsonl"});
  EXPECT_EQ(usual.in, "in.jsonl");
  EXPECT_EQ(usual.out, "out.jsonl");
  EXPECT_EQ(usual.n_parallel, std::nullopt);
  EXPECT_FALSE(usual.ordered);
  const BatchOptions own = parsed({"batch", "-o", "o", "i", "--parallel", "3", "--ordered",
                                   "--temp", "0", "-n", "40", "-m", "x.gguf", "-sys", "Be brief."});
  EXPECT_EQ(own.n_parallel, 3);
  EXPECT_TRUE(own.ordered);
  EXPECT_EQ(own.chat.sampling.temperature, 0);
  EXPECT_EQ(own.chat.n_predict, 40);
  EXPECT_EQ(own.chat.model.path, "x.gguf");
  EXPECT_EQ(own.chat.system, "Be brief.");
}

TEST(BatchOptionsTest, TheConfigurationCounts) {
  ChatOptions defaults;
  defaults.system = "Be kind.";
  defaults.model.n_ctx = 512;
  const BatchOptions options = parsed({"batch", "i", "-o", "o"}, defaults);
  EXPECT_EQ(options.chat.system, "Be kind.");
  EXPECT_EQ(options.chat.model.n_ctx, 512);
}

TEST(BatchOptionsTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(fault({"batch", "in.jsonl"}), HasSubstr("--out"));
  EXPECT_THAT(fault({"batch", "--out", "o"}), HasSubstr("FILE"));
  EXPECT_THAT(fault({"batch", "i", "-o", "o", "--parallel", "0"}), HasSubstr("from 1 to 1024"));
}

}  // namespace
}  // namespace confab::app
