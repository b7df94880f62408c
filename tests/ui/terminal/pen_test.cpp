// SPDX-License-Identifier: MIT
#include "ui/terminal/pen.h"

#include <gtest/gtest.h>

#include "tests/ui/capabilities_fixture.h"

namespace confab::ui {
namespace {

TEST(PenTest, OnlyWhatChangesIsSaid) {
  const Look plain;
  const Look bold{.bold = true};
  const Look bold_red{.fg = indexed(1), .bold = true};
  EXPECT_EQ(rendition(plain, plain, able_terminal()), "");
  EXPECT_EQ(rendition(plain, bold_red, able_terminal()), "\x1b[1;31m");
  EXPECT_EQ(rendition(bold, bold_red, able_terminal()), "\x1b[31m");
  EXPECT_EQ(rendition(bold_red, bold, able_terminal()), "\x1b[39m");
  EXPECT_EQ(rendition(bold_red, plain, able_terminal()), "\x1b[m");
}

TEST(PenTest, BoldAndDimEndTogether) {
  const Look both{.fg = rgb(1, 2, 3), .bold = true, .dim = true};
  const Look dim{.fg = rgb(1, 2, 3), .dim = true};
  EXPECT_EQ(rendition(both, dim, able_terminal()), "\x1b[22;2m");
}

TEST(PenTest, WhereAttributesCannotBeTurnedOffAloneAllAre) {
  Capabilities can = able_terminal();
  can.attributes_off = false;
  const Look both{.bold = true, .underline = true};
  EXPECT_EQ(rendition(both, {.bold = true}, can), "\x1b[0;1m");
  EXPECT_EQ(rendition({.bold = true}, both, can), "\x1b[4m");
}

TEST(PenTest, ColorsAreSaidInTheShortestForm) {
  const auto to = [](const Color& fg, const Color& bg) {
    return rendition({}, {.fg = fg, .bg = bg}, able_terminal());
  };
  EXPECT_EQ(to(indexed(9), indexed(12)), "\x1b[91;104m");
  EXPECT_EQ(to(indexed(16), indexed(255)), "\x1b[38;5;16;48;5;255m");
  EXPECT_EQ(to(rgb(1, 2, 3), {}), "\x1b[38;2;1;2;3m");
}

TEST(PenTest, LooksAreWhatTheTerminalCanShow) {
  Theme theme = default_theme();
  theme.looks[static_cast<std::size_t>(Role::heading)] = {
      .fg = indexed(12), .bg = indexed(9), .italic = true, .strike = true};
  Capabilities can = able_terminal();
  can.italic = false;
  can.bright_colors = false;
  Pen pen(can, theme);
  const Look wanted{.fg = indexed(4), .bg = indexed(1), .bold = true, .strike = true};
  EXPECT_EQ(pen.look({.role = Role::heading}), wanted);
}

TEST(PenTest, ALinkIsOpenedOnceAndEnded) {
  const Capabilities can = able_terminal();
  Pen pen(can, default_theme());
  std::string out;
  pen.set_link("https://a.example", out);
  pen.set_link("https://a.example", out);
  const std::string open = out;
  EXPECT_TRUE(open.starts_with("\x1b]8;id=")) << testing::PrintToString(open);
  EXPECT_TRUE(open.ends_with(";https://a.example\x1b\\"));
  pen.set_link("", out);
  EXPECT_EQ(out, open + "\x1b]8;;\x1b\\");
  out.clear();
  pen.set_link("https://a.example", out);
  EXPECT_EQ(out, open) << "the id is the target's";
  out.clear();
  pen.set_link("nowhere", out);
  EXPECT_EQ(out, "\x1b]8;;\x1b\\");
}

}  // namespace
}  // namespace confab::ui
