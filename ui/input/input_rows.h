// SPDX-License-Identifier: MIT
// The text being written, broken into the rows of a screen, with the caret among them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/frame.h"
#include "ui/input/paste_chips.h"
#include "ui/style.h"

namespace confab::ui {

class InputRows {
 public:
  // Borrowed; must outlive the rows.
  explicit InputRows(const PasteChips& chips) : chips_(chips) {}

  // Untrusted text, the caret's byte offset in it, at least one column. Costs nothing when none of
  // these has changed.
  void lay_out(std::string_view text, std::size_t caret, int width);
  int width() const noexcept { return width_; }  // of the last layout; 0: none yet

  std::size_t size() const noexcept { return rows_.size(); }
  std::size_t caret_row() const noexcept { return caret_row_; }
  int caret_col() const noexcept { return caret_col_; }
  Line line(std::size_t row) const;

  // The offset in the text nearest to the caret's column, a number of rows away; nullopt: there is
  // no such row.
  std::optional<std::size_t> offset_at(std::ptrdiff_t n_rows) const;

 private:
  // Bytes [begin, end) of the text, without the line break.
  struct Row {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // How a piece of the text is shown at a column: never wider than the width.
  struct Shown {
    std::size_t n_bytes = 1;
    int cols = 1;
    std::string text = {};
    Role role = Role::text;
  };

  Shown show(std::string_view text, int col) const;
  void place_caret(int col);

  const PasteChips& chips_;
  std::string text_;
  std::size_t caret_ = 0;
  int width_ = 0;
  std::vector<Row> rows_;
  std::size_t caret_row_ = 0;
  int caret_col_ = 0;
};

}  // namespace confab::ui
