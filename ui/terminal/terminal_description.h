// SPDX-License-Identifier: MIT
// Describes the terminal from the terminal database and the environment.
#pragma once

#include <string>
#include <string_view>

#include "ui/capabilities.h"

namespace confab::ui {

// Moves below everything on the screen.
inline constexpr std::string_view kBelowAll = "\x1b[999H\r\n";

struct TerminalDescription {
  Capabilities can;
  // The terminal has xterm's alternate screen. All terminals that have it also skip control strings
  // and private modes that they do not know.
  bool like_xterm = false;
  bool in_gnu_screen = false;  // it shows unknown sequences as text, so it is not asked anything
  bool is_st = false;          // the terminal named st
  std::string enter;           // sets the modes for drawing frames
  std::string leave;           // resets them; the cursor stays
  std::string enter_screen;    // switches to the alternate screen, if there is one
  std::string leave_screen;    // switches back, or moves below what was drawn
};

// Describes the terminal that TERM names. `fd` is only for messages of the database. Throws
// TerminalError if TERM is unset or unknown, or if the terminal cannot place its cursor or does so
// in another way than ECMA-48.
TerminalDescription describe_terminal(int fd);

}  // namespace confab::ui
