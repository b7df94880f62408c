// SPDX-License-Identifier: MIT
// What the environment says of colours. In this order: NO_COLOR (https://no-color.org) and
// FORCE_COLOR=0 forbid them; FORCE_COLOR=1, 2 or 3 means 16, 256 or all; any other FORCE_COLOR and
// CLICOLOR_FORCE (https://bixense.com/clicolors) mean at least 16; TERM=dumb has none; COLORTERM
// "truecolor" or "24bit" means all, except where it was inherited from around a terminal that has
// not: GNU screen, the Linux console, Emacs. An empty variable, or CLICOLOR_FORCE=0, says nothing.
#pragma once

#include "ui/color.h"

namespace confab::ui {

// Whether the terminal is GNU screen: TERM names it, as it does in older tmux, which says so.
bool in_gnu_screen() noexcept;

// For a terminal whose description promises so many colours (-1: none). Where it gives colours by
// their components (`direct`), it shows all.
ColorDepth color_depth(int n_colors, bool direct) noexcept;

// For lines written to a terminal, or to what is none, where nothing is known but the environment.
ColorDepth line_color_depth(bool is_terminal) noexcept;

}  // namespace confab::ui
