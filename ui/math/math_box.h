// SPDX-License-Identifier: MIT
// Rows of text set side by side and above each other: what formulas are built from. Only math.cpp
// needs this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

class MathBox {
 public:
  MathBox() = default;  // no rows and no width
  explicit MathBox(std::string_view row);

  bool empty() const noexcept { return rows_.empty(); }
  std::size_t height() const noexcept { return rows_.size(); }
  int width() const noexcept { return width_; }
  // The rows, without spaces at their ends.
  std::vector<std::string> rows() const;
  // The row on the baseline; all there is of a box of one row.
  std::string_view line() const noexcept;

  // To the right, baseline on baseline.
  void append(const MathBox& box);
  void append(std::string_view text) { append(MathBox(text)); }

  // `top` and `bottom`, which may be empty, centred over and under `middle`, whose baseline counts.
  static MathBox stack(const MathBox& top, const MathBox& middle, const MathBox& bottom);
  // Rows of cells in columns, `gap` columns apart. `align` has a letter for each column (l, c or
  // r), and begins again behind its last.
  static MathBox grid(const std::vector<std::vector<MathBox>>& rows, std::string_view align,
                      int gap);
  // Between delimiters as high as the box; an empty one is none.
  static MathBox enclosed(std::string_view left, const MathBox& box, std::string_view right);

 private:
  void put_row(std::size_t row, int column, const std::string& text, int width);
  // Adds a box below, `column` columns from the left.
  void add_below(const MathBox& box, int column);

  std::vector<std::string> rows_;
  std::vector<int> widths_;  // of the rows, without what would pad them
  std::size_t baseline_ = 0;
  int width_ = 0;
};

}  // namespace confab::ui
