// SPDX-License-Identifier: MIT
// The entries of a conversation one below the other, and the places in them that a view can begin
// at. Only what is asked for is laid out.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "ui/transcript/transcript_item.h"

namespace confab::ui {

// A line of the transcript. Line 0 of every item but the first is the empty one before it.
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

  // The empty line before an item.
  static int gap(std::size_t item) noexcept { return item > 0 ? 1 : 0; }
  const std::vector<Line>& lines(std::size_t item) { return items[item].lines(width_); }
  int height(std::size_t item) { return gap(item) + static_cast<int>(lines(item).size()); }

  // The place so many lines further down (up: negative); stops before the first line and behind
  // the last.
  Place move(Place place, int n_lines);
  // Where a view of so many lines begins when it ends with the last one, of all items or the first.
  Place bottom_top(int n_lines) { return bottom_top(n_lines, items.size()); }
  Place bottom_top(int n_lines, std::size_t n_items);
  // Lines from one place to a later one, counted no further than `limit`.
  int distance(Place from, Place to, int limit);

 private:
  Cols width_{80};
};

}  // namespace confab::ui
