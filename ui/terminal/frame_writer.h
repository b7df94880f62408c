// SPDX-License-Identifier: MIT
// The bytes that bring a terminal from showing one frame to showing the next.
#pragma once

#include <string>

#include "ui/capabilities.h"
#include "ui/frame.h"
#include "ui/theme.h"

namespace confab::ui {

// `shown` is what the terminal shows, as an earlier call left it; nullptr: not known, or of another
// theme. Both begin at row `top` of the screen, which `next` does not reach beyond; what is above
// stays, what is below is blank when `shown` is not known. Empty when there is nothing to change.
//
// Before and after, the terminal's pen is plain, no hyperlink is open and no scroll region is set.
// Only cells that look different are written, in synchronised output. After a grapheme whose width
// terminals disagree on the cursor is placed anew, and all that it may have overwritten is written
// again, so that a disagreement moves nothing else. Cell text that could drive the terminal is
// shown as U+FFFD.
std::string write_frame(const Frame* shown, const Frame& next, const Capabilities& can,
                        const Theme& theme, Rows top = {});

}  // namespace confab::ui
