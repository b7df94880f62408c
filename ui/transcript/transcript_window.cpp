// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_window.h"

#include <algorithm>
#include <cstdint>

namespace confab::ui {
namespace {

constexpr int kWheelLines = 3;

int rescaled(int line, int before, int now) {
  return before > 0 ? static_cast<int>(std::int64_t{line} * now / before) : 0;
}

}  // namespace

void TranscriptWindow::scroll(int n_lines) {
  if (layout_.items.empty() || (n_lines > 0 && at_bottom())) return;
  const Place place = layout_.move(first(), n_lines);
  if (held_ && place >= bottom_top())
    held_ = place;
  else
    view_from(place);
}
void TranscriptWindow::scroll_pages(int n_pages) {
  scroll(n_pages * std::max(height_ - 1, 1));
}
void TranscriptWindow::scroll_half(int n_halves) {
  scroll(n_halves * std::max(height_ / 2, 1));
}
void TranscriptWindow::to_top() {
  if (!layout_.items.empty()) view_from({});
}
void TranscriptWindow::to_bottom() noexcept {
  top_.reset();
  held_.reset();
  awaited_.reset();
  n_new_lines_ = 0;
}

void TranscriptWindow::restore(const View& view) {
  to_bottom();
  Place place = view.first;
  if (place.item >= layout_.items.size()) return;
  if (!is_there(place)) place.line = 0;
  if (!view.at_bottom && place < bottom_top())
    view_from(place);
  else
    held_ = place;
}

void TranscriptWindow::resize(Cols width, Rows height) {
  height_ = std::max(height.value, 1);
  set_width(width);
  if (awaited_ && is_there(awaited_->first)) restore(View(*awaited_));
  if (top_ && *top_ >= bottom_top()) to_bottom();
  if (top_) count_new_lines();
}

bool TranscriptWindow::is_there(const Place& place) {
  return place.item < layout_.items.size() && place.line < layout_.height(place.item);
}

// When lines break in other places, the same share of the item stays above the view.
void TranscriptWindow::set_width(Cols width) {
  if (width == layout_.width()) return;
  held_.reset();
  if (!top_) return layout_.set_width(width);
  const int top_before = layout_.height(top_->item);
  const int seen_before = layout_.height(seen_.item);
  layout_.set_width(width);
  top_->line = rescaled(top_->line, top_before, layout_.height(top_->item));
  seen_.line = rescaled(seen_.line, seen_before, layout_.height(seen_.item));
}

Place TranscriptWindow::first() {
  if (top_) return *top_;
  return held_ ? std::max(*held_, bottom_top()) : bottom_top();
}
Place TranscriptWindow::last() {
  return layout_.items.empty() ? Place{} : layout_.move(first(), height_ - 1);
}

void TranscriptWindow::view_from(Place place) {
  if (place >= bottom_top()) return to_bottom();
  const std::size_t last = layout_.items.size() - 1;
  if (!top_) seen_ = {last, layout_.height(last)};
  held_.reset();
  awaited_.reset();
  top_ = place;
}

void TranscriptWindow::await(const View& view) {
  restore(view);
  awaited_ = view;
}

void TranscriptWindow::bring_into_view(Place begin, Place end) {
  if (begin < first() || end.line - begin.line >= height_) return view_from(begin);
  if (layout_.distance(first(), end, height_ + 1) > height_) view_from(layout_.move(end, -height_));
}

void TranscriptWindow::bring_to_middle(Place place) {
  const bool above = place < first();
  if (above || layout_.distance(first(), place, height_) >= height_)
    view_from(layout_.move(place, -height_ / 2));
}

void TranscriptWindow::count_new_lines() {
  n_new_lines_ = -seen_.line;
  for (std::size_t item = seen_.item; item < layout_.items.size(); ++item)
    n_new_lines_ += layout_.height(item);
  n_new_lines_ = std::max(n_new_lines_, 0);
}

void TranscriptWindow::shortened() {
  const std::size_t n = layout_.items.size();
  if ((top_ && top_->item >= n) || (held_ && held_->item >= n)) to_bottom();
  if (top_ && seen_.item >= n) seen_ = {n - 1, layout_.height(n - 1)};
}

void TranscriptWindow::inserted(std::size_t item) noexcept {
  if (top_ && top_->item >= item) ++top_->item;
  if (held_ && held_->item > item) ++held_->item;
  if (seen_.item >= item) ++seen_.item;
}

bool scroll(TranscriptWindow& window, Command command) {
  switch (command) {
    case Command::wheel_up:
      window.scroll(-kWheelLines);
      return true;
    case Command::wheel_down:
      window.scroll(kWheelLines);
      return true;
    case Command::page_up:
      window.scroll_pages(-1);
      return true;
    case Command::page_down:
      window.scroll_pages(1);
      return true;
    case Command::line_up:
      window.scroll(-1);
      return true;
    case Command::line_down:
      window.scroll(1);
      return true;
    case Command::to_top:
      window.to_top();
      return true;
    case Command::to_bottom:
      window.to_bottom();
      return true;
    default:
      return false;
  }
}

}  // namespace confab::ui
