// SPDX-License-Identifier: MIT
#include "app/pull/pull_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

TEST(SuggestedPullsTest, SayWhatToTypeWhereTheyAreAskedFor) {
  const TempDir dir;
  Paths paths;
  paths.config_file = dir / "config.toml";
  dir.file("suggested.toml",
           "[\"Tiny\"]\npull = \"org/tiny\"\ngb = 0.001\nabout = \"for a test\"\n");
  const SuggestedPulls suggested = suggested_pulls(paths, "/pull");
  EXPECT_TRUE(suggested.is_any);
  EXPECT_EQ(suggested.models, "Tiny (976.6 KiB): for a test\n    /pull org/tiny\n");
  EXPECT_THAT(suggested.about, HasSubstr("fit this machine now. These are from"));
  dir.file("suggested.toml", "[\"Huge\"]\npull = \"org/huge\"\ngb = 9000\n");
  const SuggestedPulls none = suggested_pulls(paths, "/pull");
  EXPECT_FALSE(none.is_any);
  EXPECT_EQ(none.models, "");
  EXPECT_THAT(none.about, HasSubstr("No model of the list fits: only files up to"));
}

}  // namespace
}  // namespace confab::app
