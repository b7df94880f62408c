// SPDX-License-Identifier: MIT
#include "app/cli/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"

namespace confab::app {
namespace {

using testing::MatchesRegex;

TEST(VersionTest, IsTheReleaseAndWhereItIsKnownTheCommit) {
  EXPECT_THAT(release_name(), MatchesRegex("confab [0-9]+[.][0-9]+[.][0-9]+"));
  EXPECT_THAT(version_text(),
              MatchesRegex("confab [0-9.]+( [(][0-9a-f]+, [0-9]+-[0-9]+-[0-9]+[)])?"));
  EXPECT_TRUE(version_text().starts_with(release_name()));
}

TEST(VersionTest, IsWhatTheFlagPrints) {
  const Invocation invocation = parse_command_line({"--version"}, {});
  EXPECT_EQ(std::get<PrintAndExit>(invocation).text, version_text() + "\n");
}

}  // namespace
}  // namespace confab::app
