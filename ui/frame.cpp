// SPDX-License-Identifier: MIT
#include "ui/frame.h"

#include <algorithm>
#include <cassert>

namespace confab::ui {
namespace {

// Writes into the cells of a row and keeps the two halves of wide characters together.
class RowWriter {
 public:
  explicit RowWriter(std::span<Cell> cells) : cells_(cells) {}

  void put(std::size_t col, const Grapheme& grapheme, Cell cell) {
    const auto n = static_cast<std::size_t>(grapheme.width.value);
    for (std::size_t i = col; i < col + n; ++i) blank_other_half(i);
    cell.text = grapheme.bytes;
    if (n == 2) {
      cells_[col + 1] = cell;
      cells_[col + 1].text.clear();
    }
    cells_[col] = std::move(cell);
  }

 private:
  void blank_other_half(std::size_t col) {
    if (cells_[col].text.empty() && col > 0)
      cells_[col - 1].text = " ";
    else if (col + 1 < cells_.size() && cells_[col + 1].text.empty())
      cells_[col + 1].text = " ";
  }

  std::span<Cell> cells_;
};

}  // namespace

Frame::Frame(Rows rows, Cols cols)
    : rows_{std::max(rows.value, 0)},
      cols_{std::max(cols.value, 0)},
      cells_(static_cast<std::size_t>(rows_.value) * static_cast<std::size_t>(cols_.value)) {}

const Cell& Frame::at(Point point) const {
  assert(point.row >= Rows{0} && point.row < rows_ && point.col >= Cols{0} && point.col < cols_);
  return cells_[static_cast<std::size_t>(point.row.value) * static_cast<std::size_t>(cols_.value) +
                static_cast<std::size_t>(point.col.value)];
}

std::span<Cell> Frame::row(Rows row) {
  const auto n = static_cast<std::size_t>(cols_.value);
  return std::span(cells_).subspan(static_cast<std::size_t>(row.value) * n, n);
}

Cols Frame::write(Point point, std::string_view text, const Style& style, std::string_view link) {
  if (point.row < Rows{0} || point.row >= rows_) return Cols{0};
  RowWriter writer(row(point.row));
  int col = point.col.value;
  const int limit = cols_.value;
  int used = 0;
  while (!text.empty() && col < limit) {
    Grapheme grapheme = next_grapheme(text);
    text.remove_prefix(grapheme.bytes.size());
    if (grapheme.bytes == "\t" || grapheme.bytes == "\n") grapheme = {" ", Cols{1}};
    if (grapheme.width == Cols{0}) continue;
    if (col + grapheme.width.value > limit) break;
    if (col >= 0) {
      writer.put(static_cast<std::size_t>(col), grapheme,
                 {.text = {}, .style = style, .link = std::string(link)});
      used += grapheme.width.value;
    }
    col += grapheme.width.value;
  }
  return Cols{used};
}

void Frame::write(Point point, const Line& line) {
  for (const Span& span : line.spans)
    point.col.value += write(point, span.text, span.style, span.link).value;
}

void Frame::fill(Rows row, const Style& style) {
  if (row < Rows{0} || row >= rows_) return;
  std::ranges::fill(this->row(row), Cell{.text = " ", .style = style});
}

Frame Frame::cropped(Rows rows, Cols cols) const {
  Frame part(std::min(rows, rows_), std::min(cols, cols_));
  const auto n = static_cast<std::size_t>(part.cols_.value);
  for (Rows r{0}; r < part.rows_; ++r.value) {
    const std::span<Cell> to = part.row(r);
    for (std::size_t col = 0; col < n; ++col) to[col] = at({r, Cols{static_cast<int>(col)}});
    if (part.cols_ > Cols{0} && part.cols_ < cols_ && at({r, part.cols_}).text.empty())
      to[n - 1].text = " ";
  }
  const bool inside = cursor && cursor->row < part.rows_ && cursor->col < part.cols_;
  if (inside) part.cursor = cursor;
  return part;
}

void Frame::draw_cursor(const Style& style) {
  if (!cursor) return;
  const std::span<Cell> cells = row(cursor->row);
  auto col = static_cast<std::size_t>(cursor->col.value);
  cells[col].style = style;
  if (++col < cells.size() && cells[col].text.empty()) cells[col].style = style;
  cursor.reset();
}

std::string Frame::to_text() const {
  std::string out;
  for (Point point{{0}, {0}}; point.row < rows_; ++point.row.value) {
    std::string line;
    for (point.col.value = 0; point.col < cols_; ++point.col.value) line += at(point).text;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace confab::ui
