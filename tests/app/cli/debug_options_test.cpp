// SPDX-License-Identifier: MIT
#include "app/cli/tool_options.h"

#include <gtest/gtest.h>

#include "app/cli/cli.h"

namespace confab::app {
namespace {

DebugOptions parse(std::vector<std::string> words) {
  return std::get<DebugOptions>(parse_command_line(std::move(words), {}));
}

TEST(DebugOptionsTest, CommandsEachHaveTheirOptions) {
  auto options = parse({"debug", "tokenize", "-m", "m", "--special", "--jsonl"});
  EXPECT_EQ(options.command, DebugCommand::tokenize);
  EXPECT_TRUE(options.special);
  EXPECT_FALSE(options.bos);
  EXPECT_TRUE(options.jsonl);
  options = parse({"debug", "render", "--template", "t", "--bos", "<s>", "--eos", ""});
  EXPECT_EQ(options.command, DebugCommand::render);
  EXPECT_EQ(options.bos_token, "<s>");
  options = parse({"debug", "logits", "-m", "m", "--tokens", "t.json", "--out", "o.npy", "-c",
                   "256", "-ctk", "f32", "-ctv", "f32", "--batch", "1", "--exact"});
  EXPECT_EQ(options.command, DebugCommand::logits);
  EXPECT_EQ(options.model.type_k, kernels::Dtype::F32);
  EXPECT_EQ(options.model.n_batch, 1);
  EXPECT_TRUE(options.model.exact);
  EXPECT_EQ(options.model.path, "m");
  options = parse({"debug", "greedy", "--tokens", "-", "-n", "3"});
  EXPECT_EQ(options.command, DebugCommand::greedy);
  EXPECT_EQ(options.n_predict, 3);
}

}  // namespace
}  // namespace confab::app
