// SPDX-License-Identifier: MIT
// The entries of a conversation one below the other, and positions among their lines. Only
// requested items are laid out.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "ui/transcript/transcript_item.h"

namespace confab::ui {

// A line of the transcript. Line 0 of every item except the first is the empty line before it.
struct Place {
  std::size_t item = 0;
  int line = 0;
  auto operator<=>(const Place&) const = default;
};

class TranscriptLayout {
 public:
  std::vector<TranscriptItem> items;

  Cols width() const noexcept { return width_; }
  void set_width(Cols width) noexcept { width_ = width; }

  // The height of the empty line before an item.
  static int gap(std::size_t item) noexcept { return item > 0 ? 1 : 0; }
  const std::vector<Line>& lines(std::size_t item) { return items[item].lines(width_); }
  int height(std::size_t item) { return gap(item) + static_cast<int>(lines(item).size()); }

  // Returns the place `n_lines` further down (up if negative). Stops before the first line and
  // after the last.
  Place move(Place place, int n_lines);
  // Returns where a view of `n_lines` lines begins if it ends with the last line of all items, or
  // of the first `n_items`.
  Place bottom_top(int n_lines) { return bottom_top(n_lines, items.size()); }
  Place bottom_top(int n_lines, std::size_t n_items);
  // The lines from one place to a later one. Counting stops at `limit`.
  int distance(Place from, Place to, int limit);

 private:
  Cols width_{80};
};

}  // namespace confab::ui
