// SPDX-License-Identifier: MIT
#include "app/commands/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ThemeCommandTest = CommandFixture;

TEST_F(ThemeCommandTest, ThemesNeedSomewhereToLook) {
  run("/theme dark");
  EXPECT_THAT(last_error(), HasSubstr("no themes here"));
  TempDir home;
  context_.remembered = Remembered(home / "state.toml");
  const Paths paths;
  context_.paths = &paths;
  run("/theme dark");
  EXPECT_EQ(console_.theme, "dark");
  EXPECT_THAT(read_file(home / "state.toml"), HasSubstr("theme = 'dark'"));
  EXPECT_EQ(last_notice(), "Theme: dark.");
  console_.has_colours = false;
  run("/theme light");
  EXPECT_EQ(last_notice(), "Theme: light; there are no colours in this mode.");
  EXPECT_THAT(read_file(home / "state.toml"), HasSubstr("theme = 'light'"));
  run("/theme");
  EXPECT_THAT(last_notice(), HasSubstr("\n/theme NAME chooses one."));
  run("/theme nonsense");
  EXPECT_THAT(last_error(), HasSubstr("no theme 'nonsense'"));
}

}  // namespace
}  // namespace confab::app
