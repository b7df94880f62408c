// SPDX-License-Identifier: MIT
// A conversation in the terminal's own scrollback: finished lines are printed once and belong to
// the terminal then; a live part below them is drawn anew as it changes.
//
// A terminal that is resized moves, breaks and joins rows, and reads what was written before it
// told its size afterwards. So nothing depends on the row of the screen that the live part begins
// in: all is found from the terminal's cursor, which stays with the text that it is in. It rests
// where the live part's cursor is or, when that has none, at its top left, where erasing what
// follows erases the live part at any width. Nobody else may move it meanwhile.
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
  // The bytes that print `lines` and show `live` below them, in synchronised output; the first
  // begins in the cursor's row. `live` has no more rows than the screen, and as many columns; the
  // terminal goes on in the next row with lines that are wider.
  std::string show(std::span<const Line> lines, const Frame& live, const Capabilities& can,
                   const Theme& theme);
  // The bytes that take the live part away; the cursor is where it began. What is shown next begins
  // there.
  std::string clear();
  // The same, and what is above it goes into the memory of the terminal, which has so many rows:
  // the screen is blank.
  std::string scroll_away(Rows rows);

  // The screen has another size, and so, perhaps, its lines other rows. `broken_at`: the terminal
  // has broken rows that were wider into several; nullopt: none.
  void resized(std::optional<Cols> broken_at);
  // The next show() draws all of the live part.
  void invalidate() noexcept { known_ = false; }

 private:
  std::string erase() const;
  std::string print(std::span<const Line> lines, const Capabilities& can, const Theme& theme) const;

  std::optional<Frame> live_;  // as shown
  int n_above_ = 0;            // rows of it on the screen above the cursor's
  bool known_ = false;         // the screen has live_ as it was drawn
};

}  // namespace confab::ui
