// SPDX-License-Identifier: MIT
// What a terminal can do, as far as drawing needs to know. All of them place their cursor and
// select graphic renditions as ECMA-48 says.
#pragma once

#include "ui/color.h"

namespace confab::ui {

struct Capabilities {
  ColorDepth depth = ColorDepth::none;
  bool bright_colors = false;   // SGR 90 to 107; where not, bold makes a colour bright
  bool attributes_off = false;  // SGR 22 to 29: one attribute can be turned off alone
  bool bold = false;
  bool dim = false;
  bool italic = false;
  bool underline = false;
  bool strike = false;
  bool reverse = false;
  bool links = false;                // OSC 8
  bool absolute_column = false;      // CHA
  bool absolute_row = false;         // VPA
  bool erase_line = false;           // EL
  bool erases_in_color = false;      // EL leaves the background of the pen ("bce")
  bool scroll_region = false;        // DECSTBM
  bool stays_in_line = false;        // a full line does not go on in the next: DECAWM is reset
  bool wraps_at_once = false;        // writing the last column moves on, in the last row it scrolls
  bool synchronized = false;         // DEC private mode 2026: the marks are understood or ignored
  bool synchronized_known = false;   // the terminal has said that it understands them
  bool ambiguous_is_narrow = false;  // the terminal was seen to give such characters one column
  bool operator==(const Capabilities&) const = default;
};

}  // namespace confab::ui
