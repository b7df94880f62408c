// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ui/error.h"

namespace confab::ui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kThemes = fs::path(CONFAB_SOURCE_DIR) / "themes";

std::string theme_path(std::string_view name) {
  return (kThemes / (std::string(name) + ".toml")).string();
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A whole theme with one line put in place of the one for `text`.
std::string theme_with(const std::string& text_entry) {
  std::string toml = "name = \"t\"\n[roles]\n";
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const std::string name(role_name(static_cast<Role>(i)));
    toml += name == "text" ? text_entry + "\n" : name + " = {}\n";
  }
  return toml;
}

std::string error_of(const std::string& toml) {
  try {
    parse_theme(toml, "my.toml");
  } catch (const TerminalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ThemeTest, TheirPageHasEveryRoleAndAPicture) {
  const std::string page = text_of(fs::path(CONFAB_SOURCE_DIR) / "docs/themes.md");
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const std::string name(role_name(static_cast<Role>(i)));
    EXPECT_THAT(page, HasSubstr("\n| `" + name + "` | "));
  }
  EXPECT_THAT(page, HasSubstr("](../tests/golden/screens/dark-80x24.png)"));
}

TEST(ThemeTest, EveryFileDefinesEveryRoleUnderItsName) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kThemes)) {
    const Theme theme = load_theme(entry.path().string());
    EXPECT_EQ(theme.name, entry.path().stem());
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      const std::string name(role_name(static_cast<Role>(i)));
      EXPECT_NE(text_of(entry.path()).find("\n" + name + " = {"), std::string::npos) << name;
    }
    names.push_back(theme.name);
  }
  EXPECT_THAT(names,
              testing::IsSupersetOf({"dark", "light", "high-contrast", "16-colour", "mono"}));
}

TEST(ThemeTest, TheDefaultIsTheFileOfItsName) {
  EXPECT_EQ(default_theme(), load_theme(theme_path("16-colour")));
}

TEST(ThemeTest, MonoHasNoColours) {
  for (const Look& look : load_theme(theme_path("mono")).looks) {
    EXPECT_EQ(look.fg, Color{});
    EXPECT_EQ(look.bg, Color{});
  }
}

TEST(ThemeTest, SixteenColoursStayInThePalette) {
  const Theme theme = load_theme(theme_path("16-colour"));
  for (const Look& look : theme.looks) {
    EXPECT_EQ(convert(look.fg, ColorDepth::ansi16), look.fg);
    EXPECT_EQ(convert(look.bg, ColorDepth::ansi16), look.bg);
  }
}

double channel(std::uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(const Color& color) {
  return 0.2126 * channel(color.red) + 0.7152 * channel(color.green) + 0.0722 * channel(color.blue);
}

// WCAG 2.1, "contrast ratio"; 7 is its level AAA.
double contrast(const Color& a, const Color& b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

double least_contrast(const Theme& theme, const Color& background) {
  double least = 21;
  for (const Look& look : theme.looks) {
    if (look.fg.kind != Color::Kind::rgb) continue;
    const Color bg = look.bg.kind == Color::Kind::rgb ? look.bg : background;
    least = std::min(least, contrast(look.fg, bg));
  }
  return least;
}

TEST(ThemeTest, ColoursCanBeReadOnTheirBackground) {
  for (const Look& look : load_theme(theme_path("high-contrast")).looks) {
    ASSERT_EQ(look.fg.kind, Color::Kind::rgb);
    ASSERT_EQ(look.bg.kind, Color::Kind::rgb);
  }
  EXPECT_GE(least_contrast(load_theme(theme_path("high-contrast")), rgb(0, 0, 0)), 7.0);
  EXPECT_GE(least_contrast(load_theme(theme_path("dark")), rgb(0x1e, 0x1e, 0x1e)), 2.8);
  EXPECT_GE(least_contrast(load_theme(theme_path("light")), rgb(0xff, 0xff, 0xff)), 2.8);
}

// As xterm and most others have them; others differ by shades.
constexpr std::array kPalette = {
    rgb(0, 0, 0),       rgb(205, 0, 0),   rgb(0, 205, 0),   rgb(205, 205, 0),
    rgb(0, 0, 238),     rgb(205, 0, 205), rgb(0, 205, 205), rgb(229, 229, 229),
    rgb(127, 127, 127), rgb(255, 0, 0),   rgb(0, 255, 0),   rgb(255, 255, 0),
    rgb(92, 92, 255),   rgb(255, 0, 255), rgb(0, 255, 255), rgb(255, 255, 255)};

// Reversed, a colour stands on the ground as much as the ground on it.
TEST(ThemeTest, SixteenColoursCanBeReadOnBlackAndOnWhite) {
  const Theme theme = load_theme(theme_path("16-colour"));
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Look& look = theme.looks[i];
    EXPECT_EQ(look.bg, Color{});
    if (look.fg == Color{}) continue;
    ASSERT_LT(look.fg.index, kPalette.size());
    for (const Color& ground : {kPalette[0], kPalette[15]})
      EXPECT_GE(contrast(kPalette[look.fg.index], ground), 3.5)
          << role_name(static_cast<Role>(i)) << " on " << static_cast<int>(ground.red);
  }
}

// Whether a person sees two looks apart: by an attribute, or by colours that are not neighbours.
bool apart(Look a, Look b) {
  const auto squared = [](int value) { return value * value; };
  const Color x = std::exchange(a.fg, {}), y = std::exchange(b.fg, {});
  if (a != b) return true;
  if (x.kind != Color::Kind::rgb || y.kind != Color::Kind::rgb) return x != y;
  return squared(x.red - y.red) + squared(x.green - y.green) + squared(x.blue - y.blue) >=
         squared(40);
}

TEST(ThemeTest, WhatCodeIsMadeOfIsToldApart) {
  constexpr std::array kRoles = {Role::code_block, Role::code_keyword, Role::code_string,
                                 Role::code_number, Role::code_comment};
  for (const auto& entry : fs::directory_iterator(kThemes)) {
    const Theme theme = load_theme(entry.path().string());
    for (const ColorDepth depth :
         {ColorDepth::truecolor, ColorDepth::ansi256, ColorDepth::ansi16, ColorDepth::none}) {
      // Without colours mono is in use, and the palette's own theme where there are few.
      if (depth == ColorDepth::none && theme.name != "mono") continue;
      if (depth == ColorDepth::ansi16 && (theme.name == "dark" || theme.name == "light")) continue;
      for (std::size_t i = 0; i < kRoles.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_TRUE(
              apart(theme.look({.role = kRoles[i]}, depth), theme.look({.role = kRoles[j]}, depth)))
              << theme.name << ": " << role_name(kRoles[i]) << " and " << role_name(kRoles[j])
              << " at depth " << static_cast<int>(depth);
    }
  }
}

TEST(ThemeTest, ReadsColoursAndAttributes) {
  const Theme theme = parse_theme(
      theme_with("text = { fg = \"#102030\", bg = 236, bold = true, dim = false, reverse = true }"),
      "x");
  Look expected;
  expected.fg = rgb(0x10, 0x20, 0x30);
  expected.bg = indexed(236);
  expected.bold = expected.reverse = true;
  EXPECT_EQ(theme.name, "t");
  EXPECT_EQ(theme.look({.role = Role::text}, ColorDepth::truecolor), expected);
}

TEST(ThemeTest, AddsTheStylesAttributesAndConvertsColours) {
  const Theme theme = parse_theme(theme_with("text = { fg = \"#ff0000\", dim = true }"), "x");
  const Look look =
      theme.look({.role = Role::text, .italic = true, .strike = true}, ColorDepth::ansi256);
  EXPECT_EQ(look.fg, indexed(196));
  EXPECT_TRUE(look.dim && look.italic && look.strike);
  EXPECT_FALSE(look.bold || look.underline || look.reverse);
}

struct BadTheme {
  std::string toml;
  std::string key;
  std::string rest;  // of the message
};

TEST(ThemeTest, SaysWhatIsWrongInOneLine) {
  const BadTheme cases[] = {
      {"name = ", "line 1", "not TOML"},
      {"[roles]\n", "name", "found nothing"},
      {"name = 3\n[roles]\n", "name", "found 3"},
      {"name = \"t\"\n", "roles", "expected a table"},
      {"name = \"t\"\nroles = 1\n", "roles", "found 1"},
      {"name = \"t\"\ncolor = 1\n[roles]\n", "color", "expected \"name\" or \"roles\""},
      {theme_with("text = \"red\""), "roles.text", "expected a table"},
      {theme_with("text = { fg = \"reddish\" }"), "roles.text.fg",
       "found \"reddish\", expected a colour"},
      {theme_with("text = { bg = 256 }"), "roles.text.bg", "found 256"},
      {theme_with("text = { bg = true }"), "roles.text.bg", "found true"},
      {theme_with("text = { bold = 1 }"), "roles.text.bold", "expected true or false"},
      {theme_with("text = { colour = 1 }"), "roles.text.colour", "expected fg, bg"},
      {theme_with("text = {}\nheadings = {}"), "roles.headings", "one of text, user"},
  };
  for (const BadTheme& bad : cases) {
    const std::string message = error_of(bad.toml);
    EXPECT_THAT(message, testing::StartsWith("my.toml: ")) << bad.toml;
    EXPECT_THAT(message, HasSubstr(bad.key));
    EXPECT_THAT(message, HasSubstr(bad.rest));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(ThemeTest, ARoleThatAFileDoesNotKnowLooksAsOneNearIt) {
  const Theme theme = parse_theme(
      "name = \"old\"\n[roles]\ntext = { fg = 1 }\ncode_block = { fg = 2 }\n"
      "selection = { bg = 3 }\nstatus = { bg = 4 }\n",
      "old.toml");
  const auto look = [&](Role role) { return theme.looks[static_cast<std::size_t>(role)]; };
  EXPECT_EQ(look(Role::code_string).fg, indexed(2));
  EXPECT_EQ(look(Role::match).bg, indexed(3));
  EXPECT_EQ(look(Role::meter_low).bg, indexed(4));
  EXPECT_EQ(look(Role::heading).fg, indexed(1));
}

TEST(ThemeTest, WhatAFileSaysCannotDriveTheTerminal) {
  const std::string message = error_of(theme_with("text = { fg = \"\\u001b[2J\\n\" }"));
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(ThemeTest, NamesAFileThatCannotBeRead) {
  for (const std::string& path : {theme_path("no-such-theme"), kThemes.string()}) {
    try {
      load_theme(path);
      FAIL() << path;
    } catch (const TerminalError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
      EXPECT_THAT(error.what(), HasSubstr("cannot read"));
    }
  }
}

TEST(RoleNameTest, IsTheEnumerator) {
  EXPECT_EQ(role_name(Role::text), "text");
  EXPECT_EQ(role_name(Role::code_block), "code_block");
  EXPECT_EQ(role_name(Role::status_accent), "status_accent");
  EXPECT_EQ(role_name(Role::selection), "selection");
}

}  // namespace
}  // namespace confab::ui
