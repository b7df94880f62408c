// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_layout.h"

#include <algorithm>

namespace confab::ui {

Place TranscriptLayout::move(Place place, int n_lines) {
  while (n_lines < 0) {
    const int step = std::min(place.line, -n_lines);
    place.line -= step;
    n_lines += step;
    if (n_lines == 0 || place.item == 0) return place;
    --place.item;
    place.line = height(place.item);
  }
  while (n_lines > 0) {
    const int left = height(place.item) - place.line;
    if (n_lines < left) return {place.item, place.line + n_lines};
    if (place.item + 1 == items.size()) return {place.item, place.line + left};
    n_lines -= left;
    place = {place.item + 1, 0};
  }
  return place;
}

Place TranscriptLayout::bottom_top(int n_lines, std::size_t n_items) {
  int left = std::max(n_lines, 1);
  for (std::size_t item = n_items; item-- > 0;) {
    const int n = height(item);
    if (n >= left) return {item, n - left};
    left -= n;
  }
  return {};
}

int TranscriptLayout::distance(Place from, Place to, int limit) {
  int n = -from.line;
  for (std::size_t item = from.item; item < to.item && n < limit; ++item) n += height(item);
  return std::min(n + to.line, limit);
}

}  // namespace confab::ui
