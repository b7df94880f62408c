// SPDX-License-Identifier: MIT
#include "ui/input/input_rows.h"

#include <algorithm>
#include <utility>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

bool is_ascii_print(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

InputRows::Shown InputRows::show(std::string_view text, int col) const {
  // What typing mostly is; a large text is laid out at each key.
  if (is_ascii_print(text[0]) && (text.size() == 1 || is_ascii_print(text[1])))
    return {1, 1, std::string(1, text[0])};
  if (text[0] == '\t') {
    const int cols = std::min(kTabStop.value - col % kTabStop.value, width_);
    return {1, cols, std::string(static_cast<std::size_t>(cols), ' ')};
  }
  if (const std::optional<PasteChips::Chip> chip = chips_.at(text)) {
    std::string label = ellipsize(chip->label, Cols{width_});
    const int cols = ui::width(label).value;
    return {chip->n_bytes, cols, std::move(label), Role::chip};
  }
  const std::size_t n_bytes = next_grapheme(text).bytes.size();
  std::string safe = sanitize(text.substr(0, n_bytes));
  const int cols = ui::width(safe).value;
  if (cols > width_) return {n_bytes, 1, "…"};
  return {n_bytes, cols, std::move(safe)};
}

void InputRows::lay_out(std::string_view text, std::size_t caret, int width) {
  if (width == width_ && caret == caret_ && text == text_) return;
  width_ = width;
  caret_ = caret;
  text_ = text;
  rows_.assign(1, {});
  int col = 0;
  std::size_t pos = 0;
  const auto begin_row = [&](std::size_t at) {
    rows_.back().end = pos;
    rows_.push_back({at, at});
    col = 0;
  };
  bool caret_found = false;
  while (pos < text.size()) {
    const bool line_break = text[pos] == '\n';
    Shown shown = line_break ? Shown{1, 0} : show(text.substr(pos), col);
    const bool caret_here = !caret_found && caret_ < pos + shown.n_bytes;
    if (col + shown.cols > width || (caret_here && line_break && col == width)) {
      begin_row(pos);
      if (text[pos] == '\t') shown = show(text.substr(pos), col);
    }
    if (caret_here) place_caret(col);
    caret_found = caret_found || caret_here;
    if (line_break) begin_row(pos + 1);
    pos += shown.n_bytes;
    col += shown.cols;
  }
  if (col == width && !caret_found) begin_row(pos);
  rows_.back().end = pos;
  if (!caret_found) place_caret(col);
}

// On the cell of what follows it, at the end of the text on the next free one.
void InputRows::place_caret(int col) {
  caret_row_ = rows_.size() - 1;
  caret_col_ = col;
}

Line InputRows::line(std::size_t row) const {
  Line line;
  int col = 0;
  for (std::size_t pos = rows_[row].begin; pos < rows_[row].end;) {
    Shown piece = show(std::string_view(text_).substr(pos), col);
    col += piece.cols;
    pos += piece.n_bytes;
    if (line.spans.empty() || line.spans.back().style.role != piece.role)
      line.spans.push_back({std::move(piece.text), {.role = piece.role}});
    else
      line.spans.back().text += piece.text;
  }
  return line;
}

std::optional<std::size_t> InputRows::offset_at(std::ptrdiff_t n_rows) const {
  const std::ptrdiff_t target = static_cast<std::ptrdiff_t>(caret_row_) + n_rows;
  if (target < 0 || target >= std::ssize(rows_)) return std::nullopt;
  const Row& row = rows_[static_cast<std::size_t>(target)];
  const bool wraps = row.end < text_.size() && text_[row.end] != '\n';
  std::size_t pos = row.begin;
  for (int col = 0; pos < row.end;) {
    const Shown piece = show(std::string_view(text_).substr(pos), col);
    col += piece.cols;
    // Past the last cell of a wrapped row is the start of the next one.
    if (col > caret_col_ || (wraps && pos + piece.n_bytes >= row.end)) break;
    pos += piece.n_bytes;
  }
  return pos;
}

}  // namespace confab::ui
