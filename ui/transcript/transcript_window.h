// SPDX-License-Identifier: MIT
// Which lines of a conversation are in view.
//
// The place in view is held as an item and a line in it: text that grows below, and a new width,
// leave it where it is. Until somebody scrolls up, the view sticks to the end.
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

  // Positive: towards the end. Stops at both ends; sticks again when the end is reached.
  void scroll(int n_lines);
  void scroll_pages(int n_pages);  // of the height drawn last, less one line
  void scroll_half(int n_halves);  // pages
  void to_top();
  void to_bottom() noexcept;
  bool at_bottom() const noexcept { return !top_; }
  // Lines that have come, by the last resize(), since the view left the end; 0 at the end.
  int n_new_lines() const noexcept { return n_new_lines_; }

  // Before something is drawn: with new lines since the last time, and perhaps another size.
  void resize(Cols width, Rows height);
  void set_width(Cols width);  // of what is not in this view
  Place first();               // the lines in view
  Place last();

  // Where the view is, for a conversation that is about to be made anew.
  struct View {
    Place first;
    bool at_bottom;
  };
  View view() { return {first(), at_bottom()}; }
  // Back to there. Where too little is left to fill the view, the place stays at the top of it, and
  // what comes appears below; from then on it sticks to the end.
  void restore(const View& view);
  // The same for what is told anew from its beginning: as soon as the place is there again.
  void await(const View& view);

  // All that is in [begin, end) of one item when it fits, else its beginning.
  void bring_into_view(Place begin, Place end);
  // Into the middle, when it is not in view.
  void bring_to_middle(Place place);

  // The item is new there; those from there on have moved by one.
  void inserted(std::size_t item) noexcept;
  void shortened();  // the last item has gone

 private:
  Place bottom_top() { return layout_.bottom_top(height_); }
  void view_from(Place place);
  bool is_there(const Place& place);
  void count_new_lines();

  TranscriptLayout& layout_;
  int height_ = 24;
  std::optional<Place> top_;   // nullopt: whatever shows the end
  std::optional<Place> held_;  // but nothing above this
  std::optional<View> awaited_;
  Place seen_;  // the last item, and its height, when the view left the end
  int n_new_lines_ = 0;
};

// Scrolls by a key. False: the command does not scroll.
bool scroll(TranscriptWindow& window, Command command);

}  // namespace confab::ui
