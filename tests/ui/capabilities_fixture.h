// SPDX-License-Identifier: MIT
// The terminal that tests draw on unless they say otherwise.
#pragma once

#include "ui/capabilities.h"

namespace confab::ui {

// All that drawing makes use of, as far as a description tells it: what only a terminal's answers
// tell is not known.
inline Capabilities able_terminal() {
  return {.depth = ColorDepth::truecolor,
          .bright_colors = true,
          .attributes_off = true,
          .bold = true,
          .dim = true,
          .italic = true,
          .underline = true,
          .strike = true,
          .reverse = true,
          .links = true,
          .absolute_column = true,
          .absolute_row = true,
          .erase_line = true,
          .erases_in_color = true,
          .scroll_region = true,
          .stays_in_line = true,
          .synchronized = true};
}

}  // namespace confab::ui
