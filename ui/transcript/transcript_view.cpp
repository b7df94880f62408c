// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_view.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace confab::ui {
namespace {

// The margin that shows who speaks and what has the focus, in views that are wide enough.
constexpr int kMargin = 2;
constexpr int kMarginFrom = 8;

// Writes the key that copies the focused part near the end of the rule above it.
void put_hint(Span& rule) {
  constexpr std::string_view kHint = " y copy ", kEnd = "──", kRule = "─";
  const std::size_t n_cols = rule.text.size() / kRule.size();
  const std::size_t n_left = n_cols - std::min(n_cols, kHint.size() + kEnd.size() / kRule.size());
  if (n_left == 0) return;
  rule.text.resize(n_left * kRule.size());
  rule.text.append(kHint).append(kEnd);
}

}  // namespace

Cols TranscriptPainter::text_width(Cols cols) {
  has_margin_ = cols.value >= kMarginFrom;
  return Cols{std::max(cols.value - (has_margin_ ? kMargin : 0), 1)};
}

void TranscriptPainter::begin(Cols cols) {
  window_.set_width(text_width(cols));
  focused_ = focus_.lines();
}

void TranscriptPainter::begin(Cols cols, Rows height) {
  window_.resize(text_width(cols), height);
  focused_ = focus_.lines();
}

// Marks a link by its text, and a part with a frame by its frame.
void TranscriptPainter::mark_part(Line& line, bool first) const {
  const bool framed = focused_.kind != MarkdownPart::Kind::link;
  for (Span& span : line.spans) {
    if (span.part == focused_.part) span.style.role = Role::selection;
    if (!framed || span.style.role != Role::rule) continue;
    span.style.role = Role::focus;
    if (first && &span == &line.spans.back() && focused_.kind == MarkdownPart::Kind::code_block)
      put_hint(span);
  }
}

Line TranscriptPainter::line(Place place) {
  const int gap = TranscriptLayout::gap(place.item);
  if (place.line < gap) return {};
  const int line = place.line - gap;
  Line shown = search_.line(place.item, static_cast<std::size_t>(line));
  const bool focused = focused_.contains(place.item, line);
  if (focused && focused_.part > 0) mark_part(shown, line == focused_.begin);
  if (!has_margin_) return shown;
  const TranscriptItem& item = layout_.items[place.item];
  const int first = item.labelled() ? 1 : 0;
  const bool marks = line == first && item.kind() == TranscriptItem::Kind::user;
  const std::array margin = {
      Span{marks ? "›" : " ", {.role = marks ? Role::prompt : Role::text}},
      Span{focused ? "▌" : " ", {.role = focused ? Role::focus : Role::text}}};
  shown.spans.insert(shown.spans.begin(), margin.begin(), margin.end());
  return shown;
}

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

TranscriptView::TranscriptView(Transcript& transcript)
    : transcript_(transcript),
      window_(transcript.layout()),
      focus_(transcript.layout(), window_),
      search_(transcript.layout(), window_),
      painter_(transcript.layout(), window_, focus_, search_),
      settled_(transcript.layout(), painter_) {
  transcript_.watch(this);
}

TranscriptView::~TranscriptView() {
  transcript_.watch(nullptr);
}

void TranscriptView::draw(Frame& frame, Rows top, Rows height) {
  painter_.begin(frame.cols(), height);
  TranscriptLayout& layout = transcript_.layout();
  Place place = window_.first();
  const int end = top.value + height.value;
  for (int row = top.value; row < end && place.item < layout.items.size();
       ++place.item, place.line = 0)
    for (; place.line < layout.height(place.item) && row < end; ++place.line, ++row)
      frame.write({Rows{row}, Cols{0}}, painter_.line(place));
}

void TranscriptView::asked() {
  window_.to_bottom();
}

void TranscriptView::inserted(std::size_t item) {
  window_.inserted(item);
  focus_.inserted(item);
  search_.inserted(item);
  settled_.inserted(item);
}

void TranscriptView::shortened() {
  window_.shortened();
  search_.shortened();
}

void TranscriptView::clearing() {
  settled_.clearing();
  focus_.leave();
  search_.clearing();
  window_.to_bottom();
}

}  // namespace confab::ui
