// SPDX-License-Identifier: MIT
// A conversation in the terminal's scrollback. Finished lines are printed once and belong to the
// terminal from then on. A live part below them is redrawn as it changes.
//
// A terminal that is resized moves, breaks and joins rows, and it may read bytes written before it
// reported its new size. So nothing depends on the screen row that the live part begins in.
// Everything is located from the terminal's cursor, which stays with the text that it is in. The
// cursor rests where the live part's cursor is. If the live part has none, it rests at its top
// left, where erasing everything below erases the live part at any width. Nothing else may move it
// in between.
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
  // Returns the bytes that print `lines` and show `live` below them, in synchronised output. The
  // first line begins in the cursor's row. `live` must not have more rows than the screen and must
  // have the same number of columns. The terminal wraps lines that are wider.
  std::string show(std::span<const Line> lines, const Frame& live, const Capabilities& can,
                   const Theme& theme);
  // Returns the bytes that erase the live part. The cursor is then where it began, and so is what
  // is shown next.
  std::string clear();
  // Like clear(), but what is above the live part also scrolls into the terminal's scrollback,
  // which leaves a blank screen. `rows` is the height of the screen.
  std::string scroll_away(Rows rows);

  // The size of the screen changed, and so may have the rows of the lines on it. `broken_at` is the
  // new width if the terminal breaks wider rows into several, or nullopt if it does not.
  void resized(std::optional<Cols> broken_at);
  // Makes the next show() draw the whole live part.
  void invalidate() noexcept { known_ = false; }

 private:
  std::string erase() const;
  std::string print(std::span<const Line> lines, const Capabilities& can, const Theme& theme) const;

  std::optional<Frame> live_;  // as shown
  int n_above_ = 0;            // rows of live_ on the screen above the cursor
  bool known_ = false;         // the screen shows live_ as it was drawn
};

}  // namespace confab::ui
