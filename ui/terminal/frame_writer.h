// SPDX-License-Identifier: MIT
// The bytes that bring a terminal from showing one frame to showing the next.
#pragma once

#include <cstdint>
#include <string>

#include "ui/capabilities.h"
#include "ui/frame.h"
#include "ui/theme.h"

namespace confab::ui {

// What the place of a frame's rows is told by.
enum class Origin : std::uint8_t {
  screen,  // they are the screen's
  // Which of the screen's rows they are is not known. The terminal's cursor rests where the frame's
  // is, or, when that has none, at its top left, and is moved from there.
  cursor,
};

// `shown` is what the terminal shows, as an earlier call left it; nullptr: not known, or of another
// theme. With Origin::cursor it is known and as large as `next`. Empty when there is nothing to
// change.
//
// Before and after, the terminal's pen is plain, no hyperlink is open and no scroll region is set.
// Only cells that look different are written, in synchronised output. After a grapheme whose width
// terminals disagree on the cursor is placed anew, and all that it may have overwritten is written
// again, so that a disagreement moves nothing else. Cell text that could drive the terminal is
// shown as U+FFFD.
std::string write_frame(const Frame* shown, const Frame& next, const Capabilities& can,
                        const Theme& theme, Origin origin = Origin::screen);

}  // namespace confab::ui
