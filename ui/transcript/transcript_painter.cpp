// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_painter.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace confab::ui {
namespace {

using Kind = TranscriptItem::Kind;

// Room for who speaks and what has the focus, left of everything that is wide enough for it.
constexpr int kMargin = 2;
constexpr int kMarginFrom = 8;

std::string_view marker(Kind kind) {
  switch (kind) {
    case Kind::user:
      return "›";
    default:
      return "";
  }
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

Line TranscriptPainter::line(Place place) {
  const int gap = TranscriptLayout::gap(place.item);
  if (place.line < gap) return {};
  const int line = place.line - gap;
  Line shown = search_.line(place.item, static_cast<std::size_t>(line));
  if (!has_margin_) return shown;
  const Kind kind = layout_.items[place.item].kind();
  const bool marks = line == 0 && !marker(kind).empty();
  const bool focused = focused_.contains(place.item, line);
  const std::array margin = {
      Span{std::string(marks ? marker(kind) : " "), {.role = marks ? Role::prompt : Role::text}},
      Span{focused ? "▌" : " ", {.role = focused ? Role::focus : Role::text}}};
  shown.spans.insert(shown.spans.begin(), margin.begin(), margin.end());
  return shown;
}

}  // namespace confab::ui
