// SPDX-License-Identifier: MIT
#include "app/cli/tool_options.h"

#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

Invocation parse(std::vector<std::string> words) {
  return parse_command_line(std::move(words), {});
}
PullOptions pull(const std::vector<std::string>& words) {
  return std::get<PullOptions>(parse(words));
}
RemoveOptions remove(const std::vector<std::string>& words) {
  return std::get<RemoveOptions>(parse(words));
}
ModelsOptions models(std::vector<std::string> words) {
  words.insert(words.begin(), "models");
  return std::get<ModelsOptions>(parse(std::move(words)));
}

TEST(ModelsOptionsTest, AreOffUnlessGiven) {
  EXPECT_FALSE(models({}).json);
  EXPECT_FALSE(models({}).all_revisions);
  EXPECT_TRUE(models({"--json"}).json);
  EXPECT_TRUE(models({"--all-revisions"}).all_revisions);
}

TEST(ModelsOptionsTest, TakeNoWords) {
  EXPECT_THROW(models({"llama"}), UsageError);
}

TEST(PullOptionsTest, TakeAModelOrTheWishForASuggestion) {
  const PullOptions options = pull({"pull", "org/name:Q8_0", "-q"});
  EXPECT_EQ(options.model, "org/name:Q8_0");
  EXPECT_TRUE(options.quiet);
  EXPECT_FALSE(options.suggest);
  EXPECT_TRUE(pull({"pull", "--suggest"}).suggest);
  EXPECT_THROW(pull({"pull"}), UsageError);
  EXPECT_THROW(pull({"pull", "a/b", "--suggest"}), UsageError);
}

TEST(PullOptionsTest, RemovingNeedsAModel) {
  const RemoveOptions options = remove({"rm", "org/name", "-y"});
  EXPECT_EQ(options.model, "org/name");
  EXPECT_TRUE(options.yes);
  EXPECT_FALSE(remove({"rm", "org/name"}).yes);
  EXPECT_THROW(remove({"rm"}), UsageError);
}

}  // namespace
}  // namespace confab::app
