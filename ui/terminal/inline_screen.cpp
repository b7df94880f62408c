// SPDX-License-Identifier: MIT
#include "ui/terminal/inline_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/terminal/frame_writer.h"
#include "ui/terminal/pen.h"

namespace confab::ui {
namespace {

constexpr std::string_view kSyncOn = "\x1b[?2026h";
constexpr std::string_view kSyncOff = "\x1b[?2026l";

constexpr std::string_view kWrapOn = "\x1b[?7h";
constexpr std::string_view kWrapOff = "\x1b[?7l";

std::string up(int n_rows) {
  return n_rows > 0 ? fmt::format("\x1b[{}A", n_rows) : std::string();
}

// The frame that corresponds to an erased live part. Whether the cursor is visible is unknown then.
Frame blank_of(const Frame& frame) {
  Frame blank(frame.rows(), frame.cols());
  if (!frame.cursor) blank.cursor = Point{};
  return blank;
}

// The columns of a row up to its last cell that is not blank.
int used_columns(const Frame& frame, int row) {
  int n = frame.cols().value;
  const auto blank = [&](int col) {
    const Cell& cell = frame.at({Rows{row}, Cols{col}});
    return cell.text == " " && cell.style == Style{} && cell.link.empty();
  };
  while (n > 0 && blank(n - 1)) --n;
  return n;
}

}  // namespace

// Erases from the live part's top left, where the cursor is afterwards. The cursor first moves one
// column right, because tmux and others save the contents in their scrollback if a single sequence
// erases the whole screen.
std::string InlineScreen::erase() const {
  return "\x1b[m\r" + up(n_above_) + "\x1b[C\x1b[J\r\x1b[K";
}

std::string InlineScreen::print(std::span<const Line> lines, const Capabilities& can,
                                const Theme& theme) const {
  if (lines.empty()) return {};
  Pen pen(can, theme);
  std::string out;
  if (can.stays_in_line) out += kWrapOn;
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
  if (can.stays_in_line) out += kWrapOff;
  return out;
}

std::string InlineScreen::show(std::span<const Line> lines, const Frame& live,
                               const Capabilities& can, const Theme& theme) {
  std::string out;
  const bool same_size = live_ && live_->rows() == live.rows() && live_->cols() == live.cols();
  if (!lines.empty() || !known_ || !same_size) {
    out = erase() + print(lines, can, theme);
    const int n_below = live.rows().value - 1;
    // Scrolls blank rows in, so that no live row scrolls away.
    out.append(static_cast<std::size_t>(std::max(n_below, 0)), '\n');
    out += up(n_below);
    live_ = blank_of(live);
  }
  Capabilities within = can;
  within.synchronized = false;  // the caller of write_frame() adds the marks below
  out += write_frame(&*live_, live, within, theme, Origin::cursor);
  live_ = live;
  n_above_ = live.cursor.value_or(Point{}).row.value;
  known_ = true;
  if (out.empty() || !can.synchronized) return out;
  return fmt::format("{}{}{}", kSyncOn, out, kSyncOff);
}

std::string InlineScreen::clear() {
  std::string out = erase();
  live_.reset();
  n_above_ = 0;
  known_ = false;
  return out;
}

std::string InlineScreen::scroll_away(Rows rows) {
  // Line feeds move down to the last row first. Each further one scrolls, one for each row that was
  // above the cursor.
  return clear().append(static_cast<std::size_t>(std::max(rows.value - 1, 0)), '\n');
}

void InlineScreen::resized(std::optional<Cols> broken_at) {
  known_ = false;
  if (!live_ || !live_->cursor) return;
  const int n = std::max(broken_at.value_or(live_->cols()).value, 1);
  n_above_ = live_->cursor->col.value / n;
  for (int row = 0; row < live_->cursor->row.value; ++row)
    n_above_ += std::max((used_columns(*live_, row) + n - 1) / n, 1);
}

}  // namespace confab::ui
