// SPDX-License-Identifier: MIT
// Which lines of a conversation are in view.
//
// The position is held as an item and a line in it, so text that grows below and a new width leave
// it in place. Until somebody scrolls up, the view sticks to the end.
#pragma once

#include <cstddef>
#include <optional>

#include "ui/input/keymap.h"
#include "ui/text.h"
#include "ui/transcript/transcript_layout.h"

namespace confab::ui {

class TranscriptWindow {
 public:
  // The layout must outlive the object.
  explicit TranscriptWindow(TranscriptLayout& layout) : layout_(layout) {}

  // Scrolls towards the end if positive. Stops at both ends, and sticks again when it reaches the
  // end.
  void scroll(int n_lines);
  void scroll_pages(int n_pages);  // a page is the last height less one line
  void scroll_half(int n_halves);  // in half pages
  void to_top();
  void to_bottom() noexcept;
  bool at_bottom() const noexcept { return !top_; }
  // Lines added since the view left the end, as of the last resize(). 0 at the end.
  int n_new_lines() const noexcept { return n_new_lines_; }

  // Call it before drawing: takes in new lines and, if it changed, the size.
  void resize(Cols width, Rows height);
  void set_width(Cols width);  // for lines drawn outside of this view
  Place first();               // the first and last line in view
  Place last();

  // The position, for a conversation that is about to be rebuilt.
  struct View {
    Place first;
    bool at_bottom;
  };
  View view() { return {first(), at_bottom()}; }
  // Restores a position. If too little text is left to fill the view, the position stays at the
  // top, and new text appears below it. When the view is full it sticks to the end.
  void restore(const View& view);
  // Restores the position as soon as it exists again, for a conversation that is rebuilt line by
  // line.
  void await(const View& view);

  // Brings all of [begin, end) into view, or its beginning if it does not fit. Both are in one
  // item.
  void bring_into_view(Place begin, Place end);
  // Scrolls the place into the middle, unless it is in view.
  void bring_to_middle(Place place);

  // An item was inserted there, and the later ones moved by one.
  void inserted(std::size_t item) noexcept;
  void shortened();  // the last item was removed

 private:
  Place bottom_top() { return layout_.bottom_top(height_); }
  void view_from(Place place);
  bool is_there(const Place& place);
  void count_new_lines();

  TranscriptLayout& layout_;
  int height_ = 24;
  std::optional<Place> top_;   // nullopt: the place that shows the end
  std::optional<Place> held_;  // the view does not begin above this place
  std::optional<View> awaited_;
  Place seen_;  // the last item and its height when the view left the end
  int n_new_lines_ = 0;
};

// Scrolls by a key. Returns false if the command does not scroll.
bool scroll(TranscriptWindow& window, Command command);

}  // namespace confab::ui
