// SPDX-License-Identifier: MIT
#include "app/cli/tool_options.h"

#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

FitOptions parse(std::vector<std::string> words) {
  return std::get<FitOptions>(parse_command_line(std::move(words), {}));
}

TEST(FitOptionsTest, AModelAndHowItWouldRun) {
  const FitOptions options = parse(
      {"fit", "m.gguf", "-c", "4096", "-ctk", "f16", "-ctv", "q4_0", "-md", "d.gguf", "--json"});
  EXPECT_EQ(options.model.path, "m.gguf");
  EXPECT_TRUE(options.model.named);
  EXPECT_EQ(options.model.n_ctx, 4096);
  EXPECT_EQ(options.model.type_k, kernels::Dtype::F16);
  EXPECT_EQ(options.model.type_v, kernels::Dtype::Q4_0);
  EXPECT_EQ(options.model.draft.path, "d.gguf");
  EXPECT_TRUE(options.model.draft.wanted);
  EXPECT_TRUE(options.json);
  EXPECT_FALSE(options.table);
  EXPECT_FALSE(options.memory_bytes);
  EXPECT_EQ(parse({"fit", "-m", "x"}).model.path, "x");
  EXPECT_EQ(parse({"fit"}).model.path, "") << "the bundled one";
}

TEST(FitOptionsTest, TheTableIsOfAnyMachine) {
  const FitOptions options = parse({"fit", "--table", "--memory", "16G"});
  EXPECT_TRUE(options.table);
  EXPECT_EQ(options.memory_bytes, 16 * kGiB);
}

TEST(FitOptionsTest, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(parse({"fit", "--memory", "much"}), UsageError);
  EXPECT_THROW(parse({"fit", "a", "-m", "b"}), UsageError);
  EXPECT_THROW(parse({"fit", "a", "--table"}), UsageError);
}

TEST(FitOptionsTest, MemoryIsANumberWithAUnit) {
  EXPECT_EQ(parse_memory("16G"), 16 * kGiB);
  EXPECT_EQ(parse_memory("16g"), 16 * kGiB);
  EXPECT_EQ(parse_memory("16 GiB"), 16 * kGiB);
  EXPECT_EQ(parse_memory("1.5GB"), kGiB + kGiB / 2);
  EXPECT_EQ(parse_memory("512M"), kGiB / 2);
  EXPECT_EQ(parse_memory("1T"), 1024 * kGiB);
  EXPECT_EQ(parse_memory("4096"), 4096U);
  EXPECT_EQ(parse_memory(".5G"), kGiB / 2);
  for (const char* wrong : {"", "G", "-1G", "+1G", "0", "16X", "16GG", "16 G i", "1e9", "0x10",
                            "1.2.3G", ".", " 1G", "99999999T", "nan", "inf"})
    EXPECT_EQ(parse_memory(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace confab::app
