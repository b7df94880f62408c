// SPDX-License-Identifier: MIT
#include "app/cli/tool_options.h"

#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

BenchOptions parse(const std::vector<std::string>& words) {
  return std::get<BenchOptions>(parse_command_line(words, {}));
}

TEST(BenchOptionsTest, SizesAndFormatAreRead) {
  const BenchOptions options = parse(
      {"bench", "-m", "m.gguf", "-p", "64", "-n", "16", "-d", "128", "-r", "5", "-o", "json"});
  EXPECT_EQ(options.model.path, "m.gguf");
  EXPECT_TRUE(options.model.named);
  EXPECT_EQ(options.n_prompt, 64);
  EXPECT_EQ(options.n_gen, 16);
  EXPECT_EQ(options.n_depth, 128);
  EXPECT_EQ(options.repetitions, 5);
  EXPECT_TRUE(options.json);
}

TEST(BenchOptionsTest, ATableIsTheDefaultAndListsAreListed) {
  const BenchOptions options = parse({"bench", "--passes", "1,2,4", "--parallel", "8"});
  EXPECT_FALSE(options.json);
  EXPECT_EQ(options.passes, (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(options.parallel, std::vector<int>{8});
  EXPECT_FALSE(options.kernels);
  EXPECT_TRUE(parse({"bench", "--kernels"}).kernels);
  EXPECT_THROW(parse({"bench", "--passes", "0"}), UsageError);
  EXPECT_THROW(parse({"bench", "-o", "xml"}), UsageError);
}

}  // namespace
}  // namespace confab::app
