// SPDX-License-Identifier: MIT
#include "ui/transcript/settled_lines.h"

#include <algorithm>
#include <utility>

namespace confab::ui {

void SettledLines::take_lines() {
  for (const Place& place : taken_.take()) told_next_->push_back(painter_.line(place));
}

std::vector<Line> SettledLines::take(Cols cols) {
  painter_.begin(cols);
  if (!told_next_) told_next_.emplace();
  take_lines();
  return std::exchange(*told_next_, {});
}

std::vector<Line> SettledLines::rest(Cols cols, int n_lines) {
  painter_.begin(cols);
  std::vector<Line> lines;
  const std::size_t n_items = layout_.items.size();
  if (n_items == 0 || n_lines <= 0) return lines;
  Place place = std::max(taken_.next(), layout_.bottom_top(n_lines));
  for (; place.item < n_items; ++place.item, place.line = 0)
    for (; place.line < layout_.height(place.item); ++place.line)
      lines.push_back(painter_.line(place));
  return lines;
}

void SettledLines::skip(std::size_t n_items) {
  taken_.skip_to({n_items, 0});
}

void SettledLines::skip_to_last(Cols cols, int n_lines, std::size_t n_items) {
  painter_.begin(cols);
  taken_.skip_to(layout_.bottom_top(n_lines, n_items));
}

void SettledLines::skip_to_question() {
  std::size_t item = layout_.items.size();
  while (item > 0 && layout_.items[item - 1].kind() != TranscriptItem::Kind::user) --item;
  if (item > 0) skip(item - 1);
}

void SettledLines::clearing() {
  if (told_next_) take_lines();
  if (told_next_ && taken_.next() > Place{}) told_next_->emplace_back();
  taken_.clear();
}

}  // namespace confab::ui
