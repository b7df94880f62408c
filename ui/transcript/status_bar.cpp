// SPDX-License-Identifier: MIT
#include "ui/transcript/status_bar.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace confab::ui {
namespace {

constexpr std::string_view kSeparator = " · ";
constexpr int kSeparatorCols = 3;
constexpr int kGap = 2;         // between left and right
constexpr int kLeastRight = 4;  // a part cut to less is useless

using Parts = std::vector<StatusPart>;

Parts safe_parts(const Parts& parts) {
  Parts out = parts;
  for (StatusPart& part : out) part.text = one_line(part.text);
  return out;
}

int columns(std::span<const StatusPart> parts) {
  int n = 0;
  for (const StatusPart& part : parts) n += width(part.text).value + kSeparatorCols;
  return std::max(n - kSeparatorCols, 0);
}

// Keeps as many parts as fit, the heaviest first. The last remaining part is cut, not left out.
Parts fit(Parts parts, int cols) {
  while (parts.size() > 1 && columns(parts) > cols) {
    const auto lightest =
        std::ranges::min_element(parts.rbegin(), parts.rend(), {}, &StatusPart::weight);
    parts.erase(std::next(lightest).base());
  }
  if (!parts.empty()) parts.front().text = ellipsize(parts.front().text, Cols{std::max(cols, 0)});
  return parts;
}

void draw(Frame& frame, Point at, const Parts& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) at.col.value += frame.write(at, kSeparator, {.role = Role::status}).value;
    at.col.value += frame.write(at, parts[i].text, {.role = parts[i].role}).value;
  }
}

}  // namespace

void draw_status_bar(Frame& frame, Rows row, const StatusBar& status) {
  frame.fill(row, {.role = Role::status});
  const int margin = frame.cols().value > 2 ? 1 : 0;
  const int cols = frame.cols().value - 2 * margin;
  // The right side leaves the first part on the left at least ten columns, or its whole width if it
  // is shorter.
  const int name = status.left.empty() ? 0 : width(one_line(status.left.front().text)).value;
  const int least_left = name == 0 ? 0 : std::min(cols, std::min(name, 10) + kGap);
  const int room = cols - least_left;
  const Parts right = room < kLeastRight ? Parts{} : fit(safe_parts(status.right), room);
  const int right_cols = columns(right);
  const Parts left = fit(safe_parts(status.left), cols - (right_cols > 0 ? right_cols + kGap : 0));
  draw(frame, {row, Cols{margin}}, left);
  draw(frame, {row, Cols{margin + cols - right_cols}}, right);
}

std::string key_hints(const std::vector<std::string>& keys, Cols width) {
  std::string text;
  for (const std::string& key : keys) {
    std::string longer = text;
    if (!text.empty()) longer += kSeparator;
    longer += one_line(key);
    if (ui::width(longer) > width) break;
    text = std::move(longer);
  }
  return text;
}

}  // namespace confab::ui
