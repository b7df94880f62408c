// SPDX-License-Identifier: MIT
#include "ui/terminal/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/terminal/pen.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

// The approximate size of the sequences for one scroll, in bytes.
constexpr int kScrollCost = 24;
constexpr int kMinDifferentRows = 3;

struct RowSummary {
  std::uint64_t hash = 0;
  int weight = 0;  // the bytes of its text without blanks, as the cost of writing it
};

RowSummary summarize(const Frame& frame, int row) {
  RowSummary summary;
  const auto mix = [&summary](std::uint64_t value) {
    summary.hash = (summary.hash ^ value) * 0x9E3779B97F4A7C15u;
    summary.hash ^= summary.hash >> 29;
  };
  for (int col = 0; col < frame.cols().value; ++col) {
    const Cell& cell = frame.at({Rows{row}, Cols{col}});
    const Style& style = cell.style;
    mix(cell.text.size() == 1 ? static_cast<unsigned char>(cell.text[0])
                              : std::hash<std::string_view>{}(cell.text));
    mix(static_cast<std::uint64_t>(style.role) * 16 + style.bold * 8u + style.italic * 4u +
        style.underline * 2u + style.strike);
    if (!cell.link.empty()) mix(std::hash<std::string_view>{}(cell.link));
    if (cell.text != " ") summary.weight += static_cast<int>(cell.text.size());
  }
  return summary;
}

std::vector<RowSummary> summarize(const Frame& frame) {
  std::vector<RowSummary> rows;
  for (int row = 0; row < frame.rows().value; ++row) rows.push_back(summarize(frame, row));
  return rows;
}

struct Candidate {
  FrameScroll scroll;
  int saved = 0;
};

class ScrollSearch {
 public:
  ScrollSearch(const Frame& shown, const Frame& next)
      : shown_(summarize(shown)), next_(summarize(next)), n_(static_cast<int>(next_.size())) {}

  int n_different() const {
    int n = 0;
    for (int row = 0; row < n_; ++row) n += same_place(row) ? 0 : 1;
    return n;
  }

  // Finds the best block of rows that all moved by `up`.
  void search(int up, Candidate& best) const {
    const int first = std::max(0, -up), end = std::min(n_, n_ - up);
    for (int row = first; row < end;) {
      if (hash(next_, row) != hash(shown_, row + up)) {
        ++row;
        continue;
      }
      const int begin = row;
      int saved = 0;
      for (; row < end && hash(next_, row) == hash(shown_, row + up); ++row)
        if (!same_place(row)) saved += weight(row);
      consider({std::min(begin, begin + up), std::max(row, row + up), up}, saved, best);
    }
  }

 private:
  static std::uint64_t hash(const std::vector<RowSummary>& rows, int row) {
    return rows[static_cast<std::size_t>(row)].hash;
  }
  int weight(int row) const { return next_[static_cast<std::size_t>(row)].weight; }
  bool same_place(int row) const { return hash(next_, row) == hash(shown_, row); }

  // The rows that the scroll leaves blank must be written again, even if they had not changed.
  void consider(const FrameScroll& scroll, int saved, Candidate& best) const {
    const int first_blank = scroll.up > 0 ? scroll.bottom - scroll.up : scroll.top;
    const int n_blank = std::abs(scroll.up);
    for (int row = first_blank; row < first_blank + n_blank; ++row)
      if (same_place(row)) saved -= weight(row);
    saved -= kScrollCost + n_blank;
    if (saved > best.saved) best = {scroll, saved};
  }

  std::vector<RowSummary> shown_;
  std::vector<RowSummary> next_;
  int n_;
};

void take_shorter(std::optional<std::string>& best, std::string other) {
  if (!best || other.size() < best->size()) best = std::move(other);
}

// CSI n final. The number may be omitted if it is 1.
std::string control(int n, char final) {
  return n == 1 ? fmt::format("\x1b[{}", final) : fmt::format("\x1b[{}{}", n, final);
}

std::string position(const Point& to) {
  if (to.col == Cols{0})
    return to.row == Rows{0} ? "\x1b[H" : fmt::format("\x1b[{}H", to.row.value + 1);
  return fmt::format("\x1b[{};{}H", to.row.value + 1, to.col.value + 1);
}

// Moves within the column.
std::optional<std::string> vertical(const std::optional<int>& from, int to,
                                    const Capabilities& can) {
  std::optional<std::string> best;
  if (from == to) return "";
  if (can.absolute_row) take_shorter(best, control(to + 1, 'd'));
  if (!from) return best;
  const int down = to - *from;
  take_shorter(best, control(std::abs(down), down > 0 ? 'B' : 'A'));
  if (down > 0) take_shorter(best, std::string(static_cast<std::size_t>(down), '\n'));
  return best;
}

// Moves within the row.
std::optional<std::string> horizontal(const std::optional<int>& from, int to,
                                      const Capabilities& can) {
  std::optional<std::string> best;
  if (from == to) return "";
  take_shorter(best, to == 0 ? "\r" : "\r" + control(to, 'C'));
  if (can.absolute_column) take_shorter(best, control(to + 1, 'G'));
  if (!from) return best;
  const int right = to - *from;
  take_shorter(best, control(std::abs(right), right > 0 ? 'C' : 'D'));
  if (right < 0) take_shorter(best, std::string(static_cast<std::size_t>(-right), '\b'));
  return best;
}

constexpr std::string_view kSyncOn = "\x1b[?2026h";
constexpr std::string_view kSyncOff = "\x1b[?2026l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kPlain = "\x1b[m";
constexpr std::string_view kEraseBelow = "\x1b[J";
constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kReplacement = "\uFFFD";
constexpr std::string_view kUnshowable = "?";
constexpr int kMinErased = 4;  // cells; writing fewer of them as blanks costs no more

// On a blank, only the background and the lines through it are visible.
bool same_blank(const Look& a, const Look& b) {
  if (a.reverse != b.reverse || a.underline != b.underline || a.strike != b.strike) return false;
  const bool ink = a.reverse || a.underline || a.strike;
  return a.bg == b.bg && (!ink || (a.fg == b.fg && a.bold == b.bold && a.dim == b.dim));
}

bool is_ascii(std::string_view text) {
  return text.size() == 1 && text[0] >= 0x20 && text[0] < 0x7f;
}

class FrameWriter {
 public:
  FrameWriter(const Frame* shown, const Frame& next, const Capabilities& can, const Theme& theme,
              Origin origin)
      : shown_(shown != nullptr && shown->rows() == next.rows() && shown->cols() == next.cols()
                   ? shown
                   : nullptr),
        next_(next),
        can_(can),
        relative_(origin == Origin::cursor),
        pen_(can, theme),
        shown_row_(static_cast<std::size_t>(next.rows().value)) {}

  std::string run() {
    begin();
    write_rows();
    pen_.set_link({}, out_);
    pen_.set({}, out_);
    const bool was_visible = shown_ != nullptr && shown_->cursor.has_value();
    const bool drawn = !out_.empty();
    const bool hidden = was_visible && drawn && !can_.synchronized_known;
    if (next_.cursor || relative_) move_to(next_.cursor.value_or(Point{}));
    if (next_.cursor && (!was_visible || hidden)) out_ += kShowCursor;
    const bool hide = hidden || (!next_.cursor && (was_visible || shown_ == nullptr));
    if (hide) out_.insert(0, kHideCursor);
    if (out_.empty() || !can_.synchronized) return std::move(out_);
    return fmt::format("{}{}{}", kSyncOn, out_, kSyncOff);
  }

 private:
  void begin() {
    std::iota(shown_row_.begin(), shown_row_.end(), 0);
    if (shown_ == nullptr) {
      std::ranges::fill(shown_row_, -1);
      out_ += kPlain;
      move_to({Rows{0}, Cols{0}});
      out_ += kEraseBelow;
      return;
    }
    if (shown_->cursor || relative_) {
      const Point rests = shown_->cursor.value_or(Point{});
      at_ = {rests.row.value, rests.col.value};
    }
    if (!can_.scroll_region || relative_) return;
    if (const std::optional<FrameScroll> found = find_scroll(*shown_, next_)) scroll(*found);
  }

  // Scrolls by line feeds at the bottom of a scroll region or reverse line feeds at its top, which
  // even the VT100 supports.
  void scroll(const FrameScroll& scroll) {
    out_ += fmt::format("\x1b[{};{}r", scroll.top + 1, scroll.bottom);
    const auto first = shown_row_.begin() + scroll.top, end = shown_row_.begin() + scroll.bottom;
    if (scroll.up > 0) {
      out_ += fmt::format("\x1b[{}H", scroll.bottom);
      out_.append(static_cast<std::size_t>(scroll.up), '\n');
      std::fill(std::copy(first + scroll.up, end, first), end, -1);
    } else {
      out_ += scroll.top == 0 ? "\x1b[H" : fmt::format("\x1b[{}H", scroll.top + 1);
      for (int i = 0; i < -scroll.up; ++i) out_ += "\x1bM";
      std::fill(first, std::copy_backward(first, end + scroll.up, end), -1);
    }
    out_ += "\x1b[r";
    at_ = {};  // setting the region moves the cursor to a place that depends on the origin mode
  }

  const Cell& new_cell(int row, int col) const { return next_.at({Rows{row}, Cols{col}}); }

  bool shows_already(int row, int col) {
    const Cell& now = new_cell(row, col);
    const Look& look = pen_.look(now.style);
    const int from = shown_row_[static_cast<std::size_t>(row)];
    if (from < 0) return now.text == " " && now.link.empty() && same_blank(look, {});
    const Cell& before = shown_->at({Rows{from}, Cols{col}});
    if (before.text != now.text || (before.link != now.link && can_.links)) return false;
    if (before.style == now.style) return true;
    const Look& former = pen_.look(before.style);
    return now.text == " " ? same_blank(former, look) : former == look;
  }

  // With relative moves the rows are written from the bottom up, so that the way back to the top is
  // right at any time: a terminal that becomes narrower meanwhile breaks only rows below the
  // cursor.
  void write_rows() {
    const int n = next_.rows().value;
    for (int i = 0; i < n; ++i) write_row(relative_ ? n - 1 - i : i);
  }

  // --- one row

  void write_row(int row) {
    if (!find_changes(row)) return;
    const int n = next_.cols().value;
    const int tail = erasable_tail(row);
    for (int col = 0; col < tail; ++col)
      if (changed(col)) col = write_cell(row, col);
    const auto first = std::find(changed_.begin() + tail, changed_.end(), char{1});
    if (first == changed_.end()) return;
    const int from = static_cast<int>(first - changed_.begin());
    reach(row, from);
    pen_.set_link({}, out_);
    set_for_blank(pen_.look(new_cell(row, n - 1).style));
    out_ += kEraseLine;
  }

  bool changed(int col) const { return changed_[static_cast<std::size_t>(col)] != 0; }

  // Fills changed_. Returns false if the row is up to date.
  bool find_changes(int row) {
    const int n = next_.cols().value;
    changed_.assign(static_cast<std::size_t>(n), 0);
    bool any = false;
    for (int col = 0; col < n; ++col) {
      if (!changed(col) && shows_already(row, col)) continue;
      any = true;
      const int left = new_cell(row, col).text.empty() && col > 0 ? col - 1 : col;
      const std::string_view text = new_cell(row, left).text;
      const int reach = is_agreed(text) ? width(text).value : widest(text).value;
      for (int i = left; i < std::min(left + std::max(reach, 1), n); ++i)
        changed_[static_cast<std::size_t>(i)] = 1;
    }
    return any;
  }

  bool is_agreed(std::string_view text) const {
    if (is_ascii(text)) return true;
    const WidthAgreement agreement = width_agreement(text);
    return agreement == WidthAgreement::agreed ||
           (agreement == WidthAgreement::ambiguous && can_.ambiguous_is_narrow);
  }

  // Returns where the blanks begin that erasing to the end of the line can write, or the number of
  // columns if erasing is not shorter.
  int erasable_tail(int row) {
    const int n = next_.cols().value;
    const Cell& last = new_cell(row, n - 1);
    const Look& look = pen_.look(last.style);
    const bool plain = !look.reverse && !look.underline && !look.strike;
    const bool right_color = look.bg == Color{} || can_.erases_in_color;
    if (!can_.erase_line || !plain || !right_color) return n;
    int tail = n;
    int n_changed = 0;
    for (; tail > 0; --tail) {
      const Cell& cell = new_cell(row, tail - 1);
      if (cell.text != " " || !cell.link.empty() || !same_blank(pen_.look(cell.style), look)) break;
      n_changed += changed(tail - 1) ? 1 : 0;
    }
    return n_changed >= kMinErased ? tail : n;
  }

  // Writes the cell at this column and returns its last column.
  int write_cell(int row, int col) {
    const Cell& cell = new_cell(row, col);
    const int n_cols = std::max(width(cell.text).value, 1);
    const int n = next_.cols().value;
    const bool last_of_all = row == next_.rows().value - 1 && col + n_cols >= n;
    if (last_of_all && can_.wraps_at_once) return n - 1;
    reach(row, col);
    put(cell, n_cols, {Rows{row}, Cols{col}});
    return col + n_cols - 1;
  }

  // Moves the cursor to a cell of the row. Unchanged cells in between are rewritten if that is not
  // longer than moving.
  void reach(int row, int col) {
    if (at_.row == row && at_.col == col) return;
    const Point to{Rows{row}, Cols{col}};
    if (at_.row == row && at_.col && *at_.col < col) {
      const std::string motion = motion_to(to);
      if (const auto again = cells_between(row, *at_.col, col, motion.size())) {
        out_ += *again;
        at_.col = col;
        return;
      }
    }
    move_to(to);
  }

  // Returns the text of the cells [from, to) if it takes at most `limit` bytes and needs no change
  // of the pen.
  std::optional<std::string> cells_between(int row, int from, int to, std::size_t limit) {
    std::string text;
    if (new_cell(row, from).text.empty() || new_cell(row, to).text.empty()) return std::nullopt;
    for (int col = from; col < to; ++col) {
      const Cell& cell = new_cell(row, col);
      text += cell.text;
      const bool fits = text.size() <= limit && pen_.look(cell.style) == pen_.current() &&
                        cell.link == pen_.current_link();
      if (!fits || (!cell.text.empty() && !is_ascii(cell.text))) return std::nullopt;
    }
    return text;
  }

  void move_to(const Point& to) {
    out_ += motion_to(to);
    at_ = {to.row.value, to.col.value};
  }

  std::string motion_to(const Point& to) const {
    return relative_ ? relative_motion(at_, to, can_) : cursor_motion(at_, to, can_);
  }

  void put(const Cell& cell, int n_cols, const Point& at) {
    pen_.set_link(cell.link, out_);
    if (cell.text == " ")
      set_for_blank(pen_.look(cell.style));
    else
      pen_.set(pen_.look(cell.style), out_);
    if (!is_agreed(cell.text)) {
      put_disputed(cell.text, n_cols, at);
      return;
    }
    out_ += is_ascii(cell.text) ? std::string_view(cell.text) : safe_text(cell.text);
    advance_to(at.col.value + n_cols);
  }

  // Updates the position after writing up to `col`, which may be past the last column.
  void advance_to(int col) {
    at_.col = col;
    if (col < next_.cols().value) return;
    lose_column();
    if (relative_ && can_.wraps_at_once) ++*at_.row;
  }

  void lose_column() {
    at_.col.reset();
    if (!can_.stays_in_line && !relative_) at_.row.reset();
  }

  void set_for_blank(const Look& look) {
    if (!same_blank(pen_.current(), look)) pen_.set(look, out_);
  }

  // The terminal may give the text fewer columns than next_grapheme() does, so the cells that it
  // may leave are blanked first.
  void put_disputed(std::string_view text, int n_cols, const Point& at) {
    const int n = next_.cols().value;
    if (n_cols == 2) {
      out_ += "  ";
      advance_to(at.col.value + 2);
      move_to(at);
    }
    const bool may_leave_line = !can_.stays_in_line && at.col.value + widest(text).value > n;
    const bool cluster = width_agreement(text) == WidthAgreement::disputed;
    out_ += may_leave_line && cluster ? kUnshowable : safe_text(text);
    lose_column();
  }

  static std::string_view safe_text(std::string_view text) {
    const bool safe = !text.empty() && sanitize(text) == text && text != "\n" && text != "\t";
    return safe ? text : kReplacement;
  }

  const Frame* shown_;
  const Frame& next_;
  const Capabilities& can_;
  const bool relative_;
  Pen pen_;
  std::vector<int> shown_row_;  // for each row, the row of shown_ that is there now; -1: blank
  std::vector<char> changed_;   // for each column of the row being written
  CursorAt at_;
  std::string out_;
};

}  // namespace

std::optional<FrameScroll> find_scroll(const Frame& shown, const Frame& next) {
  const ScrollSearch search(shown, next);
  if (search.n_different() < kMinDifferentRows) return std::nullopt;
  Candidate best;
  for (int by = 1; by < next.rows().value; ++by) {
    search.search(by, best);
    search.search(-by, best);
  }
  if (best.saved <= 0) return std::nullopt;
  return best.scroll;
}

std::string cursor_motion(const CursorAt& from, const Point& to, const Capabilities& can) {
  std::optional<std::string> best = position(to);
  const std::optional<std::string> down = vertical(from.row, to.row.value, can);
  const std::optional<std::string> across = horizontal(from.col, to.col.value, can);
  if (down && across) take_shorter(best, *down + *across);
  return *best;
}

std::string relative_motion(const CursorAt& from, const Point& to, const Capabilities& can) {
  const int down = to.row.value - *from.row;
  const std::string across = *horizontal(from.col, to.col.value, can);
  if (down < 0) return control(-down, 'A') + across;
  return std::string(static_cast<std::size_t>(down), '\n') + across;
}

std::string write_frame(const Frame* shown, const Frame& next, const Capabilities& can,
                        const Theme& theme, Origin origin) {
  return FrameWriter(shown, next, can, theme, origin).run();
}

}  // namespace confab::ui
