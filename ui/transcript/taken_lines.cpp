// SPDX-License-Identifier: MIT
#include "ui/transcript/taken_lines.h"

#include <algorithm>

namespace confab::ui {

std::vector<Place> TakenLines::take() {
  std::vector<Place> taken;
  for (; next_.item < layout_.items.size(); next_ = {next_.item + 1, 0}) {
    Place place = next();
    TranscriptItem& item = layout_.items[next_.item];
    const std::size_t n_lines = layout_.lines(next_.item).size();
    const int gap = TranscriptLayout::gap(next_.item);
    const int end = gap + static_cast<int>(item.finished() ? n_lines : item.settled());
    for (; end > gap && place.line < end; ++place.line) taken.push_back(place);
    if (item.finished()) continue;
    item.keep_settled();
    break;
  }
  return taken;
}

Place TakenLines::next() {
  if (next_.item >= layout_.items.size()) return next_;
  const auto n_kept = static_cast<int>(layout_.items[next_.item].n_kept(layout_.width()));
  if (n_kept == 0) return next_;
  return std::max(next_, {next_.item, TranscriptLayout::gap(next_.item) + n_kept});
}

void TakenLines::skip_to(Place place) noexcept {
  next_ = std::max(next_, place);
}

void TakenLines::insert(std::size_t item) noexcept {
  if (next_.item > item) ++next_.item;
}

}  // namespace confab::ui
