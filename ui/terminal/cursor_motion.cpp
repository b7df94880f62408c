// SPDX-License-Identifier: MIT
#include "ui/terminal/cursor_motion.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace confab::ui {
namespace {

void take_shorter(std::optional<std::string>& best, std::string other) {
  if (!best || other.size() < best->size()) best = std::move(other);
}

// CSI n final, where n may be left out when it is 1.
std::string control(int n, char final) {
  return n == 1 ? fmt::format("\x1b[{}", final) : fmt::format("\x1b[{}{}", n, final);
}

std::string position(const Point& to) {
  if (to.col == Cols{0})
    return to.row == Rows{0} ? "\x1b[H" : fmt::format("\x1b[{}H", to.row.value + 1);
  return fmt::format("\x1b[{};{}H", to.row.value + 1, to.col.value + 1);
}

// Within the column.
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

// Within the row.
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

}  // namespace

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

}  // namespace confab::ui
