// SPDX-License-Identifier: MIT
#include "app/themes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "app/error.h"
#include "tests/app/home_dir.h"
#include "ui/error.h"

namespace confab::app {
namespace {

TEST(ThemesTest, NoNameIsTheDefault) {
  EXPECT_EQ(find_theme("", {}), ui::default_theme());
}

TEST(ThemesTest, FindsShippedThemesByName) {
  EXPECT_EQ(find_theme("light", {}).name, "light");
}

TEST(ThemesTest, TheUsersOwnComeFirst) {
  const TempDir dir;
  Paths paths;
  paths.themes = dir.path();
  const auto shipped = find_shipped("themes/dark.toml");
  ASSERT_TRUE(shipped);
  std::string text = read_file(*shipped);
  const std::size_t at = text.find("name = \"dark\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 13, "name = \"mine\"");
  dir.file("dark.toml", text);
  EXPECT_EQ(find_theme("dark", paths).name, "mine");
}

TEST(ThemesTest, AFileOfTheHomeDirectoryHasAShortName) {
  const HomeDir home;
  home.file("mine.toml", read_file(*find_shipped("themes/dark.toml")));
  EXPECT_EQ(find_theme("~/mine.toml", {}).name, "dark");
}

TEST(ThemesTest, AnUnknownNameListsTheKnownOnes) {
  try {
    find_theme("drak", {});
    FAIL() << "there is no such theme";
  } catch (const UserError& fault) {
    EXPECT_NE(std::string(fault.what()).find("dark"), std::string::npos);
    EXPECT_NE(std::string(fault.what()).find("'drak'"), std::string::npos);
  }
}

TEST(ThemesTest, AFileThatCannotBeReadIsNamed) {
  try {
    find_theme("/no/such/theme.toml", {});
    FAIL() << "no such file";
  } catch (const ui::TerminalError& fault) {
    EXPECT_NE(std::string(fault.what()).find("/no/such/theme.toml"), std::string::npos);
  }
}

TEST(ThemesTest, NamesAreTheUsersAndTheShippedOnes) {
  const TempDir own, shipped;
  Paths paths;
  paths.themes = own.path();
  paths.shipped_themes = shipped.path();
  own.file("mine.toml", "");
  own.file("dark.toml", "");
  own.file("notes.txt", "");
  shipped.file("dark.toml", "");
  shipped.file("light.toml", "");
  EXPECT_EQ(theme_names(paths), (std::vector<std::string>{"dark", "light", "mine"}));
}

// Nobody but the file has to name it.
TEST(ThemesTest, EveryFileOfTheFolderIsATheme) {
  for (const auto& entry : std::filesystem::directory_iterator(CONFAB_SOURCE_DIR "/themes")) {
    const std::string name = entry.path().stem().string();
    EXPECT_THAT(theme_names({}), testing::Contains(name));
    EXPECT_EQ(find_theme(name, {}).name, name);
  }
}

TEST(ThemesTest, WithoutAChoiceTheBackgroundDecides) {
  using ui::Background, ui::ColorDepth;
  const ThemeChoice choice("", {});
  EXPECT_EQ(choice.theme(ColorDepth::truecolor, Background::dark).name, "dark");
  EXPECT_EQ(choice.theme(ColorDepth::ansi256, Background::light).name, "light");
  EXPECT_EQ(choice.theme(ColorDepth::ansi16, Background::light), ui::default_theme());
  EXPECT_EQ(choice.theme(ColorDepth::truecolor, std::nullopt), ui::default_theme());
  EXPECT_EQ(choice.theme(ColorDepth::none, Background::light).name, "mono");
}

TEST(ThemesTest, ANamedThemeStays) {
  const ThemeChoice choice("high-contrast", {});
  for (const auto depth : {ui::ColorDepth::none, ui::ColorDepth::truecolor})
    EXPECT_EQ(choice.theme(depth, ui::Background::light).name, "high-contrast");
}

TEST(ThemesTest, AFaultInAThemeThatMayBeChosenLaterIsToldAtOnce) {
  const TempDir dir;
  Paths paths;
  paths.themes = dir.path();
  dir.file("light.toml", "name = 1");
  EXPECT_THROW(ThemeChoice("", paths), ui::TerminalError);
}

}  // namespace
}  // namespace confab::app
