// SPDX-License-Identifier: MIT
// The abilities of a terminal that matter for drawing. Every supported terminal places its cursor
// and selects graphic renditions as ECMA-48 says.
#pragma once

#include "ui/color.h"

namespace confab::ui {

struct Capabilities {
  ColorDepth depth = ColorDepth::none;
  bool bright_colors = false;   // SGR 90 to 107; without it, bold makes a colour bright
  bool attributes_off = false;  // SGR 22 to 29: attributes can be turned off one by one
  bool bold = false;
  bool dim = false;
  bool italic = false;
  bool underline = false;
  bool strike = false;
  bool reverse = false;
  bool links = false;            // OSC 8
  bool absolute_column = false;  // CHA
  bool absolute_row = false;     // VPA
  bool erase_line = false;       // EL
  bool erases_in_color = false;  // EL erases to the pen's background ("bce")
  bool scroll_region = false;    // DECSTBM
  bool stays_in_line = false;    // DECAWM is reset: text does not continue past the end of a line
  bool wraps_at_once = false;    // writing the last column moves on; scrolls in the last row
  bool synchronized = false;     // DEC mode 2026 is understood or ignored
  bool synchronized_known = false;   // the terminal has reported that it understands mode 2026
  bool ambiguous_is_narrow = false;  // such a character took one column in a test
  bool operator==(const Capabilities&) const = default;
};

}  // namespace confab::ui
