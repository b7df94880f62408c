// SPDX-License-Identifier: MIT
// The bytes that take a terminal from one frame to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/capabilities.h"
#include "ui/frame.h"
#include "ui/theme.h"

namespace confab::ui {

// How the rows of a frame are located on the terminal.
enum class Origin : std::uint8_t {
  screen,  // row 0 of the frame is the first row of the screen
  // The position on the screen is unknown. The terminal's cursor rests where the frame's cursor is,
  // or at the top left of a frame without a cursor, and all moves are relative to it.
  cursor,
};

// `shown` is what the terminal shows after the last call. It is nullptr if that is unknown or was
// drawn in another theme. With Origin::cursor it must be known and as large as `next`. The result
// is empty if nothing changes.
//
// Before and after, the terminal's pen is plain, no hyperlink is open and no scroll region is set.
// Only cells that look different are written, inside synchronised output. Terminals disagree on the
// width of some graphemes. After such a grapheme the cursor is positioned again and the cells that
// it may have overwritten are rewritten, so the disagreement moves nothing else. Cell text that
// could drive the terminal is shown as U+FFFD.
std::string write_frame(const Frame* shown, const Frame& next, const Capabilities& can,
                        const Theme& theme, Origin origin = Origin::screen);

// The position of the cursor, as far as it is known.
struct CursorAt {
  std::optional<int> row;
  std::optional<int> col;
};

// Returns the shortest sequence that moves the cursor from one place to the other; it is empty if
// the cursor is there. Line feeds are used, so the line discipline must not process output, and
// `to` must be on the screen.
std::string cursor_motion(const CursorAt& from, const Point& to, const Capabilities& can);

// Like cursor_motion(), for rows whose distance is known but not their position on the screen.
// `from` must have a row. If there are too few rows below, the screen scrolls, so the way back has
// the same length.
std::string relative_motion(const CursorAt& from, const Point& to, const Capabilities& can);

// The rows [top, bottom) move up by `up` (down if negative), and the rows that this frees are
// blank.
struct FrameScroll {
  int top = 0;
  int bottom = 0;
  int up = 0;
  bool operator==(const FrameScroll&) const = default;
};

// Finds rows that moved between two frames, so that the terminal can move them itself. Returns the
// scroll that saves most, or nullopt if none saves more than it costs. Both frames must have the
// same size. The cost is proportional to the cells and, if several rows differ, to the square of
// the rows.
std::optional<FrameScroll> find_scroll(const Frame& shown, const Frame& next);

}  // namespace confab::ui
