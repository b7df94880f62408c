// SPDX-License-Identifier: MIT
#include "app/cli/pull_options.h"

#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

template <typename T>
T parse(std::vector<std::string> words) {
  return std::get<T>(parse_command_line(std::move(words), {}));
}

TEST(PullOptionsTest, TakeAModelOrTheWishForASuggestion) {
  const auto pull = parse<PullOptions>({"pull", "org/name:Q8_0", "-q"});
  EXPECT_EQ(pull.model, "org/name:Q8_0");
  EXPECT_TRUE(pull.quiet);
  EXPECT_FALSE(pull.suggest);
  EXPECT_TRUE(parse<PullOptions>({"pull", "--suggest"}).suggest);
  EXPECT_THROW(parse<PullOptions>({"pull"}), UsageError);
  EXPECT_THROW(parse<PullOptions>({"pull", "a/b", "--suggest"}), UsageError);
}

TEST(PullOptionsTest, RemovingNeedsAModel) {
  const auto remove = parse<RemoveOptions>({"rm", "org/name", "-y"});
  EXPECT_EQ(remove.model, "org/name");
  EXPECT_TRUE(remove.yes);
  EXPECT_FALSE(parse<RemoveOptions>({"rm", "org/name"}).yes);
  EXPECT_THROW(parse<RemoveOptions>({"rm"}), UsageError);
}

}  // namespace
}  // namespace confab::app
