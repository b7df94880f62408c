// SPDX-License-Identifier: MIT
// A terminal that breaks the rows that a new width is too narrow for into several, and joins them
// again, as most do and libvterm does not; of what a terminal knows, no more than an InlineScreen
// writes. Each cell is a character: tests feed it ASCII.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace confab::ui {

class ReflowScreen {
 public:
  ReflowScreen(int rows, int cols) : n_rows_(rows), n_cols_(cols), rows_(rows) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const bool control = bytes.starts_with("\x1b[");
      const std::size_t n = control ? bytes.find_first_not_of("0123456789;?", 2) + 1 : 1;
      if (control)
        obey(bytes.substr(2, n - 3), bytes[n - 1]);
      else
        take(bytes[0]);
      bytes.remove_prefix(n);
    }
  }

  // Another width: the cursor stays with what it is in.
  void resize(int cols) {
    std::vector<Row> broken;
    Cursor to{};
    std::size_t begin = 0;  // of the line, in broken
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == 0 || !rows_[i - 1].goes_on) {
        begin = broken.size();
        broken.emplace_back();
      }
      const std::size_t offset = broken.back().text.size();
      if (i == cursor_row()) to = {begin, offset + static_cast<std::size_t>(col_)};
      broken.back().text += rows_[i].text;
    }
    rows_.clear();
    const auto n = static_cast<std::size_t>(cols);
    for (std::size_t i = 0; i < broken.size(); ++i) {
      std::string_view rest = broken[i].text;
      if (!to.placed && i == to.row) to = {rows_.size() + to.col / n, to.col % n, true};
      do {
        rows_.push_back({std::string(rest.substr(0, n)), rest.size() > n});
        rest.remove_prefix(std::min(rest.size(), n));
      } while (!rest.empty());
      if (to.placed && to.row >= rows_.size()) rows_.resize(to.row + 1);
    }
    n_cols_ = cols;
    while (rows_.size() > static_cast<std::size_t>(n_rows_) && to.row + 1 < rows_.size() &&
           rows_.back().text.empty())
      rows_.pop_back();
    rows_.resize(std::max(rows_.size(), static_cast<std::size_t>(n_rows_)));
    row_ = std::max(static_cast<int>(to.row) - first_row(), 0);
    col_ = static_cast<int>(to.col);
  }

  // All that the terminal has: what has scrolled away, and the screen, without blank rows below.
  std::string all() const {
    std::string out;
    for (const Row& row : rows_) {
      out += row.text.substr(0, row.text.find_last_not_of(' ') + 1);
      if (!row.goes_on) out += '\n';
    }
    out.erase(out.find_last_not_of('\n') + 1);
    return out + '\n';
  }

 private:
  struct Row {
    std::string text;
    bool goes_on = false;  // in the next
  };
  struct Cursor {
    std::size_t row = 0, col = 0;
    bool placed = false;
  };

  int first_row() const { return static_cast<int>(rows_.size()) - n_rows_; }
  std::size_t cursor_row() const { return static_cast<std::size_t>(first_row() + row_); }
  Row& row() { return rows_[cursor_row()]; }

  void take(char c) {
    if (c == '\r') {
      col_ = 0;
    } else if (c == '\n') {
      line_feed();
    } else {
      put(c);
    }
  }
  void line_feed() {
    if (row_ == n_rows_ - 1)
      rows_.emplace_back();
    else
      ++row_;
  }
  void put(char c) {
    if (col_ == n_cols_ && wraps_) {
      row().goes_on = true;
      take('\r');
      take('\n');
    }
    const int at = std::min(col_, n_cols_ - 1);
    std::string& text = row().text;
    text.resize(std::max(text.size(), static_cast<std::size_t>(at) + 1), ' ');
    text[static_cast<std::size_t>(at)] = c;
    col_ = at + 1;
  }
  void obey(std::string_view parameters, char last) {
    if (parameters == "?7") wraps_ = last == 'h';
    const int n = std::max(std::atoi(std::string(parameters).c_str()), 1);
    if (last == 'A') row_ = std::max(row_ - n, 0);
    if (last == 'B') row_ = std::min(row_ + n, n_rows_ - 1);
    if (last == 'C') col_ = std::min(col_ + n, n_cols_ - 1);
    if (last == 'D') col_ = std::max(std::min(col_, n_cols_ - 1) - n, 0);
    if (last == 'G') col_ = std::min(n, n_cols_) - 1;
    if (last == 'K' || last == 'J') erase_line();
    for (std::size_t i = cursor_row() + 1; last == 'J' && i < rows_.size(); ++i) rows_[i] = {};
  }
  void erase_line() {
    const auto at = static_cast<std::size_t>(std::min(col_, n_cols_ - 1));
    row().text.resize(std::min(row().text.size(), at));
    row().goes_on = false;
  }

  int n_rows_, n_cols_;
  std::vector<Row> rows_;  // the last n_rows_ are on the screen
  int row_ = 0, col_ = 0;
  bool wraps_ = true;
};

}  // namespace confab::ui
