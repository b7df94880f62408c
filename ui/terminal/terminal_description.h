// SPDX-License-Identifier: MIT
// What the terminal database and the environment say of the terminal.
#pragma once

#include <string>
#include <string_view>

#include "ui/capabilities.h"

namespace confab::ui {

// To below all that is on the screen.
inline constexpr std::string_view kBelowAll = "\x1b[999H\r\n";

struct TerminalDescription {
  Capabilities can;
  // It has xterm's alternate screen, which only terminals have that also skip control strings and
  // private modes that they do not know.
  bool like_xterm = false;
  bool in_gnu_screen = false;  // which shows what it does not know: it is asked nothing
  bool is_st = false;          // the terminal of that name
  std::string enter;           // sets the modes that frames are drawn in
  std::string leave;           // and back; the cursor stays
  std::string enter_screen;    // another screen than the one with the scrollback, if there is one
  std::string leave_screen;    // back to it, or to below what was drawn
};

// Of the terminal that TERM names. `fd` is for messages of the database only. Throws TerminalError
// when TERM is unset, unknown, or names a terminal that cannot place its cursor or does not do so
// as ECMA-48 says.
TerminalDescription describe_terminal(int fd);

}  // namespace confab::ui
