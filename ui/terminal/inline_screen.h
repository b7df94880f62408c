// SPDX-License-Identifier: MIT
// A conversation in the terminal's own scrollback: finished lines are printed once and belong to
// the terminal then; a live part below them is drawn anew as it changes.
//
// Knows where on the screen the live part begins, so nobody else may write or scroll meanwhile.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ui/capabilities.h"
#include "ui/frame.h"
#include "ui/theme.h"

namespace confab::ui {

class InlineScreen {
 public:
  // The live part will begin at row `top` of a screen of so many rows.
  InlineScreen(Rows rows, Rows top) : rows_(rows), top_(top) {}

  // The bytes that print `lines` and show `live` below them, in synchronised output. `live` has no
  // more rows than the screen, and as many columns; wider lines are cut into several.
  std::string show(std::span<const Line> lines, const Frame& live, const Capabilities& can,
                   const Theme& theme);
  // The bytes that take the live part away; the cursor is where it began. What is shown next begins
  // there.
  std::string clear();
  // The same, and what is above it goes into the terminal's memory: the screen is blank, and what
  // is shown next begins at its top.
  std::string scroll_away();

  // The screen has another size, and so, perhaps, its lines other rows, or others have written on
  // it: the row that the cursor is in now tells where the live part begins. `broken_at`: the
  // terminal has broken rows that were wider into several; nullopt: none.
  void resized(Rows rows, std::optional<Cols> broken_at, Rows cursor);
  // The next show() draws all of the live part.
  void invalidate() noexcept { known_ = false; }

 private:
  std::string print(std::span<const Line> lines, const Capabilities& can, const Theme& theme);

  Rows rows_;
  Rows top_;
  std::optional<Frame> live_;  // as shown
  bool known_ = false;         // the screen has live_ as it was drawn
};

}  // namespace confab::ui
