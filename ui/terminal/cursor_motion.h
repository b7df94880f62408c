// SPDX-License-Identifier: MIT
// Moves a terminal's cursor with as few bytes as the terminal allows.
#pragma once

#include <optional>
#include <string>

#include "ui/capabilities.h"
#include "ui/frame.h"

namespace confab::ui {

// Where the cursor is, as far as that is known.
struct CursorAt {
  std::optional<int> row;
  std::optional<int> col;
};

// The shortest of what leads from one place to the other; empty when it is there. Line feeds are
// used, so output is not to be processed by the line discipline, and `to` is to be on the screen.
std::string cursor_motion(const CursorAt& from, const Point& to, const Capabilities& can);

// The same where it is known how far apart the rows are but not which of the screen's they are:
// `from` has a row. The screen scrolls where there are too few below it, so that the way back is as
// long.
std::string relative_motion(const CursorAt& from, const Point& to, const Capabilities& can);

}  // namespace confab::ui
