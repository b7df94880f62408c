// SPDX-License-Identifier: MIT
#include "ui/color_env.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace confab::ui {
namespace {

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
