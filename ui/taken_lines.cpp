// SPDX-License-Identifier: MIT
#include "ui/taken_lines.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

// Characters that are no blanks, nor lines that layout draws.
std::size_t ink(const Line& line) {
  std::size_t n = 0;
  const std::string text = to_text(line);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = next_grapheme(rest).bytes;
    const bool drawn = character >= "\u2500" && character < "\u2580";
    n += character != " " && !drawn ? 1 : 0;
    rest.remove_prefix(character.size());
  }
  return n;
}

}  // namespace

std::vector<Place> TakenLines::take() {
  std::vector<Place> taken;
  while (next_.item < layout_.items.size()) {
    const int gap = TranscriptLayout::gap(next_.item);
    const auto n_lines = layout_.lines(next_.item).size();
    const TranscriptItem& item = layout_.items[next_.item];
    const int n = gap + static_cast<int>(item.finished() ? n_lines : item.settled());
    for (; n > gap && next_.line < n; ++next_.line) taken.push_back(next_);
    if (!item.finished()) break;
    next_ = {next_.item + 1, 0};
  }
  return taken;
}

void TakenLines::skip_to(Place place) noexcept {
  next_ = std::max(next_, place);
}

void TakenLines::insert(std::size_t item) noexcept {
  if (next_.item > item) ++next_.item;
}

void TakenLines::grow(std::size_t item, int n_lines) noexcept {
  if (next_.item == item && next_.line > 0) next_.line += n_lines;
}

void TakenLines::set_width(Cols width) {
  const int gap = TranscriptLayout::gap(next_.item);
  if (next_.item >= layout_.items.size() || next_.line <= gap) return layout_.set_width(width);
  std::size_t n_taken = 0;
  for (int i = 0; i < next_.line - gap; ++i)
    n_taken += ink(layout_.lines(next_.item)[static_cast<std::size_t>(i)]);
  layout_.set_width(width);
  const std::vector<Line>& lines = layout_.lines(next_.item);
  std::size_t n = 0, line = 0;
  while (line < lines.size() && n < n_taken && n + ink(lines[line]) <= n_taken)
    n += ink(lines[line++]);
  next_.line = gap + static_cast<int>(line);
}

}  // namespace confab::ui
