// SPDX-License-Identifier: MIT
#include "ui/status_bar.h"

#include <algorithm>
#include <string_view>

namespace confab::ui {
namespace {

constexpr std::string_view kSeparator = " · ";
constexpr int kGap = 2;  // between left and right

std::string join(const std::vector<std::string>& parts, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) text += kSeparator;
    text += sanitize(parts[i]);
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

// As many parts, the first ones, as fit; the first is cut rather than left out.
std::string fit(const std::vector<std::string>& parts, int cols) {
  std::size_t n = parts.size();
  while (n > 1 && width(join(parts, n)).value > cols) --n;
  return ellipsize(join(parts, n), Cols{cols});
}

}  // namespace

void draw_status_bar(Frame& frame, Rows row, const StatusBar& status) {
  const Style style{.role = Role::status};
  frame.fill(row, style);
  const int margin = frame.cols().value > 2 ? 1 : 0;
  const int cols = frame.cols().value - 2 * margin;
  // The right keeps at most what leaves the first part on the left ten columns.
  const int least_left = status.left.empty() ? 0 : std::min(cols, 10 + kGap);
  const std::string right = fit(status.right, cols - least_left);
  const int right_cols = width(right).value;
  const std::string left = fit(status.left, cols - (right_cols > 0 ? right_cols + kGap : 0));
  frame.write({row, Cols{margin}}, left, style);
  frame.write({row, Cols{margin + cols - right_cols}}, right, {.role = Role::status_accent});
}

}  // namespace confab::ui
