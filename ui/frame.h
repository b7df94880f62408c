// SPDX-License-Identifier: MIT
// The screen as a value: a grid of cells and a cursor, independent of any terminal. Views are
// functions from state to Frame, and the Terminal writes the difference between two frames.
//
// Cells are in logical order. Right-to-left text is left to the terminal. Terminals that support it
// reverse the runs of each row on the screen; the others show them as they are.
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
  std::string text = " ";  // one grapheme; empty in the right half of a wide one
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

  // Writes text to the right of a point, clipped at the edges, and returns the columns used. A wide
  // character that does not fit is left out. Overwriting half of a wide character blanks the other
  // half. Tabs and line breaks show as a space. A character without width that combines with
  // nothing is not shown.
  Cols write(Point point, std::string_view text, const Style& style, std::string_view link = {});
  void write(Point point, const Line& line);
  void fill(Rows row, const Style& style);  // blanks the row in this style

  // Returns the upper left part of the frame. A wide character cut by the new edge becomes blank.
  Frame cropped(Rows rows, Cols cols) const;

  // Hides the cursor and gives its cell this style.
  void draw_cursor(const Style& style);

  std::optional<Point> cursor;  // nullopt: hidden

  // Returns the characters alone, one line per row, without trailing spaces. For tests.
  std::string to_text() const;
  bool operator==(const Frame&) const = default;

 private:
  std::span<Cell> row(Rows row);

  Rows rows_;
  Cols cols_;
  std::vector<Cell> cells_;
};

}  // namespace confab::ui
