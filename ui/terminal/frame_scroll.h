// SPDX-License-Identifier: MIT
// Finds rows that have moved from one frame to the next, so that the terminal can move them itself.
#pragma once

#include <optional>

#include "ui/frame.h"

namespace confab::ui {

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
