// SPDX-License-Identifier: MIT
#include "ui/terminal/inline_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "ui/terminal/frame_writer.h"
#include "ui/terminal/pen.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr std::string_view kSyncOn = "\x1b[?2026h";
constexpr std::string_view kSyncOff = "\x1b[?2026l";

std::string at_row(int row) {
  return fmt::format("\x1b[{};1H", row + 1);
}

// Blanks a row and all below it, and leaves the cursor at its begin. Not the whole screen by one
// sequence: tmux and others put what that erases into their memory.
std::string erase_from(int row) {
  return row > 0 ? "\x1b[m" + at_row(row) + "\x1b[J" : "\x1b[m\x1b[1;2H\x1b[J\r\x1b[K";
}

// What the screen shows of it once it was erased. Whether the cursor is to be seen is not known.
Frame blank_of(const Frame& frame) {
  Frame blank(frame.rows(), frame.cols());
  if (!frame.cursor) blank.cursor = Point{};
  return blank;
}

// Columns that a row of a frame has something in.
int used_columns(const Frame& frame, int row) {
  int n = frame.cols().value;
  const auto blank = [&](int col) {
    const Cell& cell = frame.at({Rows{row}, Cols{col}});
    return cell.text == " " && cell.style == Style{} && cell.link.empty();
  };
  while (n > 0 && blank(n - 1)) --n;
  return n;
}

std::vector<Line> no_wider(std::span<const Line> lines, Cols cols) {
  std::vector<Line> out;
  for (const Line& line : lines) {
    if (width(line) <= cols)
      out.push_back(line);
    else
      std::ranges::move(wrap_columns(line.spans, cols), std::back_inserter(out));
  }
  return out;
}

}  // namespace

std::string InlineScreen::print(std::span<const Line> lines, const Capabilities& can,
                                const Theme& theme) {
  Pen pen(can, theme);
  std::string out = erase_from(top_.value);
  for (const Line& line : lines) {
    for (const Span& span : line.spans) {
      pen.set_link(span.link, out);
      pen.set(pen.look(span.style), out);
      out += span.text;
    }
    pen.set_link({}, out);
    pen.set({}, out);
    out += "\r\n";
  }
  const int end = top_.value + static_cast<int>(std::min<std::size_t>(
                                   lines.size(), static_cast<std::size_t>(rows_.value)));
  top_ = Rows{std::min(end, rows_.value - 1)};
  known_ = false;
  return out;
}

std::string InlineScreen::show(std::span<const Line> lines, const Frame& live,
                               const Capabilities& can, const Theme& theme) {
  std::string out;
  if (!lines.empty()) out = print(no_wider(lines, live.cols()), can, theme);
  const bool grows = live_ && known_ && live.rows() > live_->rows();
  const int below = top_.value + live.rows().value - rows_.value;
  if (below > 0) {
    // Blank rows scroll in, not a copy of what was live.
    if (grows || !known_) out += erase_from(top_.value);
    known_ = known_ && !grows;
    out += at_row(rows_.value - 1);
    out.append(static_cast<std::size_t>(below), '\n');
    top_.value -= below;
  }
  if (!known_ || !live_ || live_->rows() != live.rows() || live_->cols() != live.cols()) {
    out += erase_from(top_.value);
    live_ = blank_of(live);
  }
  Capabilities within = can;
  within.synchronized = false;  // all of it is, below
  out += write_frame(&*live_, live, within, theme, top_);
  live_ = live;
  known_ = true;
  if (out.empty() || !can.synchronized) return out;
  return fmt::format("{}{}{}", kSyncOn, out, kSyncOff);
}

std::string InlineScreen::clear() {
  live_.reset();
  known_ = false;
  return erase_from(top_.value);
}

std::string InlineScreen::scroll_away() {
  std::string out = clear() + at_row(rows_.value - 1);
  out.append(static_cast<std::size_t>(top_.value), '\n');
  top_ = {};
  return out;
}

void InlineScreen::resized(Rows rows, std::optional<Cols> broken_at, Rows cursor) {
  rows_ = rows;
  known_ = false;
  int above = 0;
  if (live_) {
    const int n = std::max(broken_at.value_or(live_->cols()).value, 1);
    const Point caret = live_->cursor.value_or(Point{});
    for (int row = 0; row < caret.row.value; ++row)
      above += std::max((used_columns(*live_, row) + n - 1) / n, 1);
    above += caret.col.value / n;
  }
  top_ = Rows{std::clamp(cursor.value - above, 0, std::max(rows.value - 1, 0))};
}

}  // namespace confab::ui
