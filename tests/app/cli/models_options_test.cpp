// SPDX-License-Identifier: MIT
#include "app/cli/models_options.h"

#include <gtest/gtest.h>

#include <variant>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

ModelsOptions parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "models");
  return std::get<ModelsOptions>(parse_command_line(std::move(words), {}));
}

TEST(ModelsOptionsTest, AreOffUnlessGiven) {
  EXPECT_FALSE(parsed({}).json);
  EXPECT_FALSE(parsed({}).all_revisions);
  EXPECT_TRUE(parsed({"--json"}).json);
  EXPECT_TRUE(parsed({"--all-revisions"}).all_revisions);
}

TEST(ModelsOptionsTest, TakeNoWords) {
  EXPECT_THROW(parsed({"llama"}), UsageError);
}

}  // namespace
}  // namespace confab::app
