// SPDX-License-Identifier: MIT
#include "ui/terminal/link_support.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace confab::ui {
namespace {

TEST(LinkSupportTest, TerminalsAreKnownByName) {
  for (const char* name : {"foot(1.16.2)", "kitty(0.35.1)", "VTE(7600)", "WezTerm 20240203",
                           "iTerm2 3.5.0", "ghostty 1.0.0", "Konsole 24.08.1"})
    EXPECT_TRUE(follows_links(name)) << name;
  for (const char* name : {"", "XTerm(379)", "tmux 3.3a", "tmux 3.5", "a terminal of tomorrow"})
    EXPECT_FALSE(follows_links(name)) << name;
}

class LinkEnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"TMUX", "STY", "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION"})
      unsetenv(name);
    setenv("TERM", "xterm-256color", 1);
  }
};

// Its database entry has smcup, and so have those of terminals without links.
TEST_F(LinkEnvironmentTest, NothingFollowsFromAnotherScreen) {
  EXPECT_FALSE(environment_follows_links());
}

TEST_F(LinkEnvironmentTest, TermNamesSome) {
  for (const char* term : {"xterm-kitty", "foot", "foot-extra", "alacritty", "xterm-ghostty"}) {
    setenv("TERM", term, 1);
    EXPECT_TRUE(environment_follows_links()) << term;
  }
}

TEST_F(LinkEnvironmentTest, OthersSetVariables) {
  setenv("VTE_VERSION", "4800", 1);
  EXPECT_FALSE(environment_follows_links());
  setenv("VTE_VERSION", "7600", 1);
  EXPECT_TRUE(environment_follows_links());
  setenv("TMUX", "/tmp/tmux-1000/default,1,0", 1);
  EXPECT_FALSE(environment_follows_links());
}

TEST_F(LinkEnvironmentTest, SoDoPrograms) {
  setenv("TERM_PROGRAM", "Apple_Terminal", 1);
  EXPECT_FALSE(environment_follows_links());
  setenv("TERM_PROGRAM", "iTerm.app", 1);
  EXPECT_TRUE(environment_follows_links());
}

}  // namespace
}  // namespace confab::ui
