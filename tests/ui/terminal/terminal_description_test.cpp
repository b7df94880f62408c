// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_description.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/ui/capabilities_fixture.h"
#include "tests/ui/escape_scanner.h"
#include "ui/error.h"
#include "ui/terminal/terminal_reset.h"

namespace confab::ui {
namespace {

TerminalDescription describe(const char* term) {
  for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "TMUX"})
    unsetenv(name);
  setenv("TERM", term, 1);
  return describe_terminal(1);
}

TEST(TerminalDescriptionTest, Xterm) {
  const TerminalDescription xterm = describe("xterm-256color");
  EXPECT_TRUE(xterm.like_xterm);
  Capabilities wanted = able_terminal();
  wanted.depth = ColorDepth::ansi256;
  EXPECT_EQ(xterm.can, wanted);
}

TEST(TerminalDescriptionTest, TheLinuxConsoleIsNotAsked) {
  const TerminalDescription console = describe("linux");
  EXPECT_FALSE(console.like_xterm);
  EXPECT_FALSE(console.can.links);
  EXPECT_FALSE(console.can.synchronized);
  EXPECT_EQ(console.can.depth, ColorDepth::ansi16);
  EXPECT_FALSE(console.can.bright_colors);
  EXPECT_EQ((console.enter + console.leave).find("\x1b]"), std::string::npos);
}

TEST(TerminalDescriptionTest, AVt100CanDoLittle) {
  const Capabilities can = describe("vt100").can;
  EXPECT_EQ(can.depth, ColorDepth::none);
  EXPECT_FALSE(can.attributes_off);
  EXPECT_FALSE(can.italic);
  EXPECT_TRUE(can.scroll_region);
}

TEST(TerminalDescriptionTest, TheEnvironmentKnowsOfTrueColor) {
  describe("xterm-256color");
  setenv("COLORTERM", "truecolor", 1);
  EXPECT_EQ(describe_terminal(1).can.depth, ColorDepth::truecolor);
  unsetenv("COLORTERM");
}

TEST(TerminalDescriptionTest, LinesStayInPlaceInTmux) {
  for (const char* term : {"tmux-256color", "screen", "linux"}) {
    const TerminalDescription made = describe(term);
    EXPECT_TRUE(made.can.stays_in_line) << term;
    EXPECT_FALSE(made.can.wraps_at_once) << term;
    EXPECT_NE(made.leave.find("\x1b[?7h"), std::string::npos) << term;
  }
}

TEST(TerminalDescriptionTest, GnuScreenHasNoLinks) {
  EXPECT_FALSE(describe("screen-256color").can.links);
  setenv("TMUX", "/tmp/tmux-1/default,1,0", 1);
  setenv("TERM", "screen-256color", 1);
  EXPECT_TRUE(describe_terminal(1).can.links);
  unsetenv("TMUX");
}

TEST(TerminalDescriptionTest, WhatEntersAndLeavesIsOursAndFits) {
  for (const char* term : {"xterm", "xterm-256color", "screen", "screen-256color", "tmux-256color",
                           "linux", "vt100", "vt220"}) {
    const TerminalDescription made = describe(term);
    EXPECT_EQ(foreign_sequence(made.enter_screen + made.enter), std::nullopt) << term;
    EXPECT_EQ(foreign_sequence(made.leave + made.leave_screen), std::nullopt) << term;
    EXPECT_LE(made.leave.size() + made.leave_screen.size(), TerminalReset::kMaxBytes);
  }
}

TEST(TerminalDescriptionTest, TerminalsOfOtherKindsAreErrors) {
  const std::pair<const char*, std::string_view> cases[] = {
      {"dumb", "TERM=dumb: this terminal cannot move its cursor"},
      {"vt52", "TERM=vt52: this terminal does not move its cursor as ECMA-48 specifies"},
      {"no-such-terminal", "TERM=no-such-terminal: unknown terminal"},
      {"", "TERM is not set"},
  };
  for (const auto& [term, message] : cases) {
    try {
      describe(term);
      ADD_FAILURE() << term;
    } catch (const TerminalError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace confab::ui
