// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_painter.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace confab::ui {
namespace {

// Room for who speaks and what has the focus, left of everything that is wide enough for it.
constexpr int kMargin = 2;
constexpr int kMarginFrom = 8;

// The key that copies what has the focus, near the end of the rule above it.
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

// A link by its own text, what has a frame by that.
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

}  // namespace confab::ui
