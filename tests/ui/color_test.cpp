// SPDX-License-Identifier: MIT
#include "ui/color.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace confab::ui {
namespace {

TEST(ParseColorTest, ReadsEveryForm) {
  EXPECT_EQ(parse_color("default"), Color{});
  EXPECT_EQ(parse_color("#01aBff"), rgb(0x01, 0xab, 0xff));
  EXPECT_EQ(parse_color("0"), indexed(0));
  EXPECT_EQ(parse_color("255"), indexed(255));
  EXPECT_EQ(parse_color("black"), indexed(0));
  EXPECT_EQ(parse_color("bright-white"), indexed(15));
}

TEST(ParseColorTest, RefusesAllElse) {
  for (const char* text : {"", "#", "#fff", "#12345g", "#1234567", "#-12345", "256", "-1", "1x",
                           "Red", "reddish", " red"})
    EXPECT_EQ(parse_color(text), std::nullopt) << text;
}

TEST(ConvertTest, KeepsWhatTheTerminalShows) {
  for (const ColorDepth depth :
       {ColorDepth::none, ColorDepth::ansi16, ColorDepth::ansi256, ColorDepth::truecolor})
    EXPECT_EQ(convert(Color{}, depth), Color{});
  EXPECT_EQ(convert(rgb(1, 2, 3), ColorDepth::truecolor), rgb(1, 2, 3));
  EXPECT_EQ(convert(indexed(200), ColorDepth::ansi256), indexed(200));
  EXPECT_EQ(convert(indexed(9), ColorDepth::ansi16), indexed(9));
}

TEST(ConvertTest, NoColoursLeaveTheTerminalsOwn) {
  EXPECT_EQ(convert(rgb(255, 0, 0), ColorDepth::none), Color{});
  EXPECT_EQ(convert(indexed(3), ColorDepth::none), Color{});
}

// Indices as in xterm's 256-colour table.
TEST(ConvertTest, FindsTheNearestOf256) {
  EXPECT_EQ(convert(rgb(0, 0, 0), ColorDepth::ansi256), indexed(16));
  EXPECT_EQ(convert(rgb(255, 255, 255), ColorDepth::ansi256), indexed(231));
  EXPECT_EQ(convert(rgb(95, 135, 175), ColorDepth::ansi256), indexed(67));
  EXPECT_EQ(convert(rgb(97, 133, 177), ColorDepth::ansi256), indexed(67));
  EXPECT_EQ(convert(rgb(118, 118, 118), ColorDepth::ansi256), indexed(243));
  EXPECT_EQ(convert(rgb(254, 1, 2), ColorDepth::ansi256), indexed(196));
}

TEST(ConvertTest, FindsTheNearestOf16) {
  EXPECT_EQ(convert(rgb(250, 10, 10), ColorDepth::ansi16), indexed(9));
  EXPECT_EQ(convert(rgb(200, 5, 5), ColorDepth::ansi16), indexed(1));
  EXPECT_EQ(convert(rgb(10, 10, 10), ColorDepth::ansi16), indexed(0));
  EXPECT_EQ(convert(indexed(231), ColorDepth::ansi16), indexed(15));
  EXPECT_EQ(convert(indexed(244), ColorDepth::ansi16), indexed(8));
}

// Every colour of the cube and the greys is its own nearest, by value if not by index.
TEST(ConvertTest, IsStable) {
  for (int red = 0; red < 256; red += 15)
    for (int green = 0; green < 256; green += 15)
      for (int blue = 0; blue < 256; blue += 15) {
        const Color once =
            convert(rgb(static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                        static_cast<std::uint8_t>(blue)),
                    ColorDepth::ansi256);
        ASSERT_EQ(once.kind, Color::Kind::indexed);
        ASSERT_GE(once.index, 16);
        const Color low = convert(once, ColorDepth::ansi16);
        ASSERT_EQ(convert(low, ColorDepth::ansi16), low);
      }
}

// Shades of dark green, brown and blue are nearer to a grey than to any colour of the cube.
TEST(ConvertTest, AColourKeepsItsHueIn256) {
  for (const Color& color : {rgb(34, 96, 45), rgb(20, 96, 42), rgb(90, 40, 40), rgb(40, 40, 100)}) {
    const Color shown = convert(color, ColorDepth::ansi256);
    EXPECT_LT(shown.index, 232) << "a grey";
    EXPECT_NE(shown.index, 59) << "a grey of the cube";
  }
  EXPECT_EQ(convert(rgb(139, 148, 158), ColorDepth::ansi256), indexed(246)) << "almost a grey";
}

class ColorEnvTest : public testing::Test {
 protected:
  using Variables = std::initializer_list<std::pair<const char*, const char*>>;

  static void set(Variables variables) {
    for (const char* name :
         {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "STY", "TMUX"})
      unsetenv(name);
    setenv("TERM", "xterm-256color", 1);
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  static ColorDepth screen(Variables variables, int n_colors = 256, bool direct = false) {
    set(variables);
    return color_depth(n_colors, direct);
  }
  static ColorDepth line(Variables variables, bool is_terminal = true) {
    set(variables);
    return line_color_depth(is_terminal);
  }
  void TearDown() override { set({}); }
};

TEST_F(ColorEnvTest, TheDescriptionCountsWhereNothingIsSaid) {
  EXPECT_EQ(screen({}, -1), ColorDepth::none);
  EXPECT_EQ(screen({}, 8), ColorDepth::ansi16);
  EXPECT_EQ(screen({}, 88), ColorDepth::ansi16);
  EXPECT_EQ(screen({}, 256), ColorDepth::ansi256);
  EXPECT_EQ(screen({}, 1 << 24, true), ColorDepth::truecolor);
  EXPECT_EQ(screen({{"COLORTERM", "truecolor"}}, 8), ColorDepth::truecolor);
  EXPECT_EQ(screen({{"COLORTERM", "24bit"}}, 8), ColorDepth::truecolor);
  EXPECT_EQ(screen({{"COLORTERM", "yes"}}, 8), ColorDepth::ansi16);
}

TEST_F(ColorEnvTest, WhatTheTerminalAroundItHasIsNotIts) {
  const std::pair<const char*, const char*> color{"COLORTERM", "truecolor"};
  EXPECT_EQ(screen({color, {"TERM", "screen"}, {"STY", "1.x"}}, 8), ColorDepth::ansi16);
  EXPECT_EQ(screen({color, {"TERM", "screen.xterm-256color"}}), ColorDepth::ansi256);
  EXPECT_EQ(screen({color, {"TERM", "screen-256color"}, {"STY", "1.x"}, {"TMUX", "/t"}}),
            ColorDepth::ansi256);
  EXPECT_EQ(screen({color, {"TERM", "xterm-256color"}, {"STY", "1.x"}}), ColorDepth::ansi256);
  EXPECT_EQ(screen({color, {"TERM", "linux"}}, 8), ColorDepth::ansi16);
  EXPECT_EQ(screen({color, {"TERM", "eterm-color"}}, 8), ColorDepth::ansi16);
  EXPECT_EQ(line({color, {"TERM", "screen"}}), ColorDepth::ansi16);
  EXPECT_EQ(screen({color, {"TERM", "screen-256color"}, {"TMUX", "/t"}}), ColorDepth::truecolor)
      << "older tmux";
}

TEST_F(ColorEnvTest, NoColorForbidsAllOthers) {
  EXPECT_EQ(screen({{"NO_COLOR", "1"}, {"COLORTERM", "truecolor"}}), ColorDepth::none);
  EXPECT_EQ(screen({{"NO_COLOR", "1"}, {"FORCE_COLOR", "3"}}), ColorDepth::none);
  EXPECT_EQ(screen({{"NO_COLOR", ""}}), ColorDepth::ansi256);
}

TEST_F(ColorEnvTest, ForceColorNamesADepth) {
  EXPECT_EQ(screen({{"FORCE_COLOR", "0"}}), ColorDepth::none);
  EXPECT_EQ(screen({{"FORCE_COLOR", "1"}}), ColorDepth::ansi16);
  EXPECT_EQ(screen({{"FORCE_COLOR", "2"}}, 8), ColorDepth::ansi256);
  EXPECT_EQ(screen({{"FORCE_COLOR", "3"}}, 8), ColorDepth::truecolor);
  EXPECT_EQ(screen({{"FORCE_COLOR", "true"}}, -1), ColorDepth::ansi16);
}

TEST_F(ColorEnvTest, LinesHaveColorsOnlyOnATerminalUnlessForced) {
  EXPECT_EQ(line({}), ColorDepth::ansi256);
  EXPECT_EQ(line({{"COLORTERM", "truecolor"}}), ColorDepth::truecolor);
  EXPECT_EQ(line({{"TERM", "xterm"}}), ColorDepth::ansi16);
  EXPECT_EQ(line({{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}), ColorDepth::none);
  EXPECT_EQ(line({}, false), ColorDepth::none);
  EXPECT_EQ(line({{"CLICOLOR_FORCE", "1"}}, false), ColorDepth::ansi256);
  EXPECT_EQ(line({{"CLICOLOR_FORCE", "0"}}, false), ColorDepth::none);
  EXPECT_EQ(line({{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, false), ColorDepth::none);
  EXPECT_EQ(line({{"TERM", "dumb"}, {"CLICOLOR_FORCE", "1"}}, false), ColorDepth::ansi16);
}

}  // namespace
}  // namespace confab::ui
