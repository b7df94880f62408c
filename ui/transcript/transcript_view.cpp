// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_view.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_search.h"
#include "ui/transcript/transcript_steps.h"

namespace confab::ui {
namespace {

using Kind = TranscriptItem::Kind;

// Room for who speaks and what has the focus, left of everything that is wide enough for it.
constexpr int kGutter = 2;
constexpr int kGutterFrom = 8;

std::string_view marker(Kind kind) {
  switch (kind) {
    case Kind::user:
      return "›";
    case Kind::error:
      return "!";
    default:
      return "";
  }
}

int rescaled(int line, int before, int now) {
  return before > 0 ? static_cast<int>(std::int64_t{line} * now / before) : 0;
}

Role mark_role(Kind kind) {
  return kind == Kind::error ? Role::error : Role::prompt;
}

}  // namespace

TranscriptView::TranscriptView(MarkdownOptions options)
    : options_(options), taken_(layout_), search_(layout_) {}

void TranscriptView::add_user(std::string_view text, MessageNumber number) {
  add(Kind::user, text, number);
  to_bottom();
}
void TranscriptView::add_answer(std::string_view markdown, MessageNumber number) {
  add(Kind::answer, markdown, number);
}
void TranscriptView::add_reasoning(std::string_view text) {
  reasoning_ = layout_.items.size();
  add(Kind::reasoning, text, {});
}
void TranscriptView::add_notice(std::string_view text) {
  add(Kind::notice, text, {});
}
void TranscriptView::add_error(std::string_view text) {
  add(Kind::error, text, {});
}

void TranscriptView::add(Kind kind, std::string_view text, MessageNumber number) {
  begin(kind, text, number);
  layout_.items.back().finish();
}

void TranscriptView::begin_answer(MessageNumber number) {
  answering_ = layout_.items.size();
  begin(Kind::answer, "", number);
  reasoning_.reset();
}
void TranscriptView::append_reasoning(std::string_view text) {
  if (!answering_) return;
  if (!reasoning_) insert_reasoning();
  layout_.items[*reasoning_].append(text);
}
void TranscriptView::label_reasoning(std::string_view label) {
  if (reasoning_) layout_.items[*reasoning_].set_label(label);
}
void TranscriptView::append_answer(std::string_view text) {
  if (!answering_) return;
  layout_.items[*answering_].append(text);
  if (reasoning_) layout_.items[*reasoning_].finish();
}
void TranscriptView::end_answer() {
  if (answering_) layout_.items[*answering_].finish();
  if (reasoning_) layout_.items[*reasoning_].finish();
  answering_.reset();
}
bool TranscriptView::answering() const noexcept {
  return answering_.has_value();
}

void TranscriptView::label_message(std::size_t number, std::string_view label) {
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    if (numbers_[i] == number) layout_.items[i].set_label(label);
  search_.forget();
}

void TranscriptView::clear() {
  if (told_next_) take_lines();
  if (told_next_ && taken_.next() > Place{}) told_next_->emplace_back();
  layout_.items.clear();
  numbers_.clear();
  answering_.reset();
  reasoning_.reset();
  unfocus();
  taken_.clear();
  found_.reset();
  search_.forget();
  to_bottom();
}

std::size_t TranscriptView::n_items() const noexcept {
  return layout_.items.size();
}

std::string_view TranscriptView::last_answer() const noexcept {
  for (auto item = layout_.items.rbegin(); item != layout_.items.rend(); ++item)
    if (item->kind() == Kind::answer) return item->source();
  return {};
}

void TranscriptView::open_reasoning(bool open) {
  reasoning_open_ = open;
  for (TranscriptItem& item : layout_.items)
    if (item.kind() == Kind::reasoning) item.fold(!open);
  search_.forget();
}
bool TranscriptView::reasoning_open() const noexcept {
  return reasoning_open_;
}

void TranscriptView::show_raw(bool raw) {
  raw_ = raw;
  for (TranscriptItem& item : layout_.items) item.show_raw(raw);
  search_.forget();
}
bool TranscriptView::raw() const noexcept {
  return raw_;
}

// --- scrolling

void TranscriptView::scroll(int n_lines) {
  if (layout_.items.empty()) return;
  view_from(layout_.move(first_place(), n_lines));
}
void TranscriptView::scroll_pages(int n_pages) {
  scroll(n_pages * std::max(height_ - 1, 1));
}
void TranscriptView::scroll_half(int n_halves) {
  scroll(n_halves * std::max(height_ / 2, 1));
}
void TranscriptView::to_top() {
  if (!layout_.items.empty()) view_from({});
}
void TranscriptView::to_bottom() {
  top_.reset();
  n_new_lines_ = 0;
}
bool TranscriptView::at_bottom() const noexcept {
  return !top_;
}
int TranscriptView::n_new_lines() const noexcept {
  return n_new_lines_;
}

// --- focus

void TranscriptView::step(int n_items) {
  const std::size_t n = layout_.items.size();
  if (n == 0) return;
  std::size_t at = focus_ ? *focus_ : layout_.move(first_place(), height_ - 1).item + 1;
  if (!focus_) n_items = -1;
  for (; n_items < 0; ++n_items) at = next_message(layout_, at, -1);
  for (; n_items > 0; --n_items) at = next_message(layout_, at, 1);
  if (at < n) focus(at, {});
}
bool TranscriptView::step_part(int direction) {
  if (!focus_) step(0);
  if (!focus_) return false;
  const auto next = next_part(layout_, *focus_, focus_part_, direction);
  if (next) focus(next->item, next->part);
  return next.has_value();
}

void TranscriptView::focus(std::size_t item, std::optional<std::size_t> part) {
  focus_ = item;
  focus_part_ = part;
  const int gap = layout_.gap(item);
  if (const auto focused = focused_part()) {
    const int first = gap + static_cast<int>(focused->first_line);
    return bring_into_view({item, first}, {item, first + static_cast<int>(focused->n_lines)});
  }
  bring_into_view({item, gap}, {item, layout_.height(item)});
}

std::optional<MarkdownPart> TranscriptView::focused_part() {
  if (!focus_ || !focus_part_) return std::nullopt;
  const std::vector<MarkdownPart> parts = layout_.items[*focus_].parts(layout_.width());
  return *focus_part_ < parts.size() ? std::optional(parts[*focus_part_]) : std::nullopt;
}
void TranscriptView::unfocus() {
  focus_.reset();
  focus_part_.reset();
}
TranscriptItem* TranscriptView::focused() noexcept {
  return focus_ ? &layout_.items[*focus_] : nullptr;
}
TranscriptView::MessageNumber TranscriptView::focused_number() const noexcept {
  return focus_ ? numbers_[*focus_] : MessageNumber{};
}
void TranscriptView::toggle_fold() {
  if (!focus_) return;
  TranscriptItem& item = layout_.items[*focus_];
  item.fold(!item.folded());
  search_.forget();
  focus(*focus_, {});
}

// --- search

bool TranscriptView::search(std::string_view words) {
  search_.set_words(words);
  found_.reset();
  if (layout_.items.empty()) return words.empty();
  found_ = search_.nearest(layout_.move(first_place(), std::max(height_, 1)));
  if (found_) show_found();
  return found_ || words.empty();
}
bool TranscriptView::search_on(int direction) {
  if (!found_ && !search(search_.words())) return false;
  if (found_) found_ = search_.next(*found_, direction);
  if (found_) show_found();
  return found_.has_value();
}

// --- drawing

void TranscriptView::use_columns(int cols) {
  gutter_ = cols >= kGutterFrom ? kGutter : 0;
  set_width(Cols{std::max(cols - gutter_, 1)});
}

void TranscriptView::draw(Frame& frame, Rows top, Rows height) {
  height_ = height.value;
  use_columns(frame.cols().value);
  if (top_ && *top_ >= bottom_top()) to_bottom();
  if (top_) count_new_lines();
  marked_ = focused_lines();
  Place place = first_place();
  const int end = top.value + height.value;
  for (int row = top.value; row < end && place.item < n_items(); ++place.item, place.line = 0)
    for (; place.line < layout_.height(place.item) && row < end; ++place.line, ++row)
      frame.write(Rows{row}, line_at(place));
}

void TranscriptView::begin(Kind kind, std::string_view text, MessageNumber number) {
  layout_.items.emplace_back(kind, text, options_);
  numbers_.push_back(number);
  prepare(layout_.items.back());
}

void TranscriptView::prepare(TranscriptItem& item) const {
  if (item.kind() == Kind::reasoning) item.fold(!reasoning_open_);
  item.show_raw(raw_);
}

// Places at the answer and below it move down by one item.
void TranscriptView::insert_reasoning() {
  reasoning_ = (*answering_)++;
  const auto at = static_cast<std::ptrdiff_t>(*reasoning_);
  layout_.items.emplace(layout_.items.begin() + at, Kind::reasoning, "");
  numbers_.insert(numbers_.begin() + at, MessageNumber{});
  prepare(layout_.items[*reasoning_]);
  if (top_ && top_->item >= *reasoning_) ++top_->item;
  if (seen_.item >= *reasoning_) ++seen_.item;
  taken_.insert(*reasoning_);
  if (focus_ && *focus_ >= *reasoning_) ++*focus_;
  found_.reset();
  search_.forget();
}

Place TranscriptView::bottom_top() {
  return layout_.bottom_top(height_);
}
Place TranscriptView::first_place() {
  return top_ ? *top_ : bottom_top();
}

void TranscriptView::view_from(Place place) {
  if (place >= bottom_top()) return to_bottom();
  const std::size_t last = layout_.items.size() - 1;
  if (!top_) seen_ = {last, layout_.height(last)};
  top_ = place;
}

// All of it when it fits, else its beginning.
void TranscriptView::bring_into_view(Place begin, Place end) {
  if (begin < first_place() || end.line - begin.line >= height_) return view_from(begin);
  if (layout_.distance(first_place(), end, height_ + 1) > height_)
    view_from(layout_.move(end, -height_));
}

void TranscriptView::show_found() {
  const Place place = search_.place(*found_);
  const bool above = place < first_place();
  if (above || layout_.distance(first_place(), place, height_) >= height_)
    view_from(layout_.move(place, -height_ / 2));
}

// The same share of the item stays above a place when lines break elsewhere.
void TranscriptView::set_width(Cols width) {
  if (width == layout_.width()) return;
  if (!top_) return layout_.set_width(width);
  const int top_before = layout_.height(top_->item);
  const int seen_before = layout_.height(seen_.item);
  layout_.set_width(width);
  top_->line = rescaled(top_->line, top_before, layout_.height(top_->item));
  seen_.line = rescaled(seen_.line, seen_before, layout_.height(seen_.item));
}

void TranscriptView::count_new_lines() {
  n_new_lines_ = -seen_.line;
  for (std::size_t item = seen_.item; item < n_items(); ++item)
    n_new_lines_ += layout_.height(item);
  n_new_lines_ = std::max(n_new_lines_, 0);
}

// The lines of its item that have the focus.
TranscriptView::LineSpan TranscriptView::focused_lines() {
  if (const auto part = focused_part()) {
    const int first = static_cast<int>(part->first_line);
    return {first, first + static_cast<int>(part->n_lines)};
  }
  return {0, focus_ ? layout_.height(*focus_) : 0};
}

// With what stands in the margin.
Line TranscriptView::line_at(Place place) {
  const auto [item, gap] = std::pair(place.item, layout_.gap(place.item));
  if (place.line < gap) return {};
  const int line = place.line - gap;
  Line shown = search_.marked(item, static_cast<std::size_t>(line), found_);
  if (gutter_ == 0) return shown;
  const Kind kind = layout_.items[item].kind();
  const bool marks = line == 0 && !marker(kind).empty();
  const bool focused = focus_ == item && line >= marked_.begin && line < marked_.end;
  const std::array margin = {
      Span{std::string(marks ? marker(kind) : " "), {.role = marks ? mark_role(kind) : Role::text}},
      Span{focused ? "▌" : " ", {.role = focused ? Role::focus : Role::text}}};
  shown.spans.insert(shown.spans.begin(), margin.begin(), margin.end());
  return shown;
}

// --- for the scrollback

void TranscriptView::take_lines() {
  for (const Place& place : taken_.take()) told_next_->push_back(line_at(place));
}

std::vector<Line> TranscriptView::take_settled(Cols cols) {
  use_columns(cols.value);
  if (!told_next_) told_next_.emplace();
  take_lines();
  return std::exchange(*told_next_, {});
}

std::vector<Line> TranscriptView::unsettled(Cols cols, int n_lines) {
  use_columns(cols.value);
  std::vector<Line> lines;
  if (n_items() == 0 || n_lines <= 0) return lines;
  Place place = std::max(taken_.next(), layout_.bottom_top(n_lines));
  for (; place.item < n_items(); ++place.item, place.line = 0)
    for (; place.line < layout_.height(place.item); ++place.line) lines.push_back(line_at(place));
  return lines;
}

void TranscriptView::skip(std::size_t n_items) {
  taken_.skip_to({n_items, 0});
}

void TranscriptView::skip_to_last(Cols cols, int n_lines, std::size_t n_items) {
  use_columns(cols.value);
  taken_.skip_to(layout_.bottom_top(n_lines, n_items));
}

void TranscriptView::skip_to_question() {
  std::size_t item = n_items();
  while (item > 0 && layout_.items[item - 1].kind() != Kind::user) --item;
  if (item > 0) skip(item - 1);
}

}  // namespace confab::ui
