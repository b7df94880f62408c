// SPDX-License-Identifier: MIT
// The screen as a value: a grid of cells, a cursor, and nothing that needs a terminal. Views are
// functions from state to Frame; the Terminal shows the difference between two of them.
//
// Cells are in logical order. Right-to-left text is left to the terminal: those that know how turn
// its runs around on the screen, each row for itself, and the others show it as it is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

struct Cell {
  std::string text = " ";  // one grapheme; empty: the right half of a wide one
  Style style;
  std::string link = {};
  bool operator==(const Cell&) const = default;
};

struct Point {
  Rows row;
  Cols col;
  bool operator==(const Point&) const = default;
};

class Frame {
 public:
  Frame(Rows rows, Cols cols);

  Rows rows() const noexcept { return rows_; }
  Cols cols() const noexcept { return cols_; }
  const Cell& at(Point point) const;

  // Writes text from a point to the right, clipped at the edges; returns the columns used. A wide
  // character that does not fit is left out; overwriting half of one blanks its other half. Tabs
  // and line breaks show as a space, characters without width that combine with nothing not at all.
  Cols write(Point point, std::string_view text, const Style& style, std::string_view link = {});
  void write(Point point, const Line& line);
  void fill(Rows row, const Style& style);  // blanks a row in a style

  // Its upper left part. A wide character that the new edge cuts becomes blank.
  Frame cropped(Rows rows, Cols cols) const;

  // Shows the cursor by the style of its cell, and hides it.
  void draw_cursor(const Style& style);

  std::optional<Point> cursor;  // nullopt: hidden

  // The characters alone, a line a row, without trailing spaces: for tests.
  std::string to_text() const;
  bool operator==(const Frame&) const = default;

 private:
  std::span<Cell> row(Rows row);

  Rows rows_;
  Cols cols_;
  std::vector<Cell> cells_;
};

}  // namespace confab::ui
