// SPDX-License-Identifier: MIT
// The bytes that bring a terminal from showing one frame to showing the next.
#pragma once

#include <cstdint>
#include <optional>
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

// Where the cursor is, as far as that is known.
struct CursorAt {
  std::optional<int> row;
  std::optional<int> col;
};

// Moves the cursor with as few bytes as the terminal allows: the shortest of what leads from one
// place to the other; empty when it is there. Line feeds are used, so output is not to be processed
// by the line discipline, and `to` is to be on the screen.
std::string cursor_motion(const CursorAt& from, const Point& to, const Capabilities& can);

// The same where it is known how far apart the rows are but not which of the screen's they are:
// `from` has a row. The screen scrolls where there are too few below it, so that the way back is as
// long.
std::string relative_motion(const CursorAt& from, const Point& to, const Capabilities& can);

// Finds rows that have moved from one frame to the next, so that the terminal can move them itself.
//
// The rows [top, bottom) move up by `up` (down when negative); the rows that this leaves are blank.
struct FrameScroll {
  int top = 0;
  int bottom = 0;
  int up = 0;
  bool operator==(const FrameScroll&) const = default;
};

// The scroll that saves most, nullopt when none saves more than it costs. Both frames are of one
// size. Cost: proportional to the cells, and to the square of the rows when several differ.
std::optional<FrameScroll> find_scroll(const Frame& shown, const Frame& next);

}  // namespace confab::ui
