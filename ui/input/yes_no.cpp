// SPDX-License-Identifier: MIT
#include "ui/input/yes_no.h"

#include <algorithm>

#include "ui/text.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr int kMostRows = 3;

// Like ellipsize(), but it keeps the end and leaves out the middle.
std::string without_middle(std::string_view text, Cols cols) {
  int n_end = width(text).value;
  if (n_end <= cols.value || cols.value <= 1) return ellipsize(text, cols);
  const std::string_view begin = clip(text, Cols{cols.value / 2});
  const int room = cols.value - width(begin).value - 1;
  std::string_view end = text;
  while (n_end > room) {
    const Grapheme first = next_grapheme(end);
    end.remove_prefix(first.bytes.size());
    n_end -= first.width.value;
  }
  return std::string(begin) + "…" + std::string(end);
}

}  // namespace

YesNo::YesNo(std::string_view question) : question_(one_line(question)) {}

YesNo::Outcome YesNo::feed(const Key& key) const {
  if (key.code == Key::Code::escape) return Outcome::no;
  if (key.code != Key::Code::character || key.alt) return Outcome::open;
  const char32_t letter = key.character;
  if (key.ctrl) return letter == U'c' || letter == U'g' ? Outcome::no : Outcome::open;
  if (letter == U'y' || letter == U'Y') return Outcome::yes;
  return letter == U'n' || letter == U'N' ? Outcome::no : Outcome::open;
}

// Lays the question out with its keys, within `rows` rows if possible.
std::vector<Line> YesNo::lines(Cols cols, Rows rows) const {
  constexpr std::string_view kKeys = " (y/n)";
  std::vector<Line> lines;
  // A word that moves to the next row leaves space behind, so fewer characters may fit than
  // there are columns.
  for (int room = rows.value * cols.value - width(kKeys).value;; --room) {
    const std::string text = without_middle(question_, Cols{room}).append(kKeys);
    lines = wrap_text(text, {.role = Role::prompt}, cols);
    if (static_cast<int>(lines.size()) <= rows.value || room <= 0) return lines;
  }
}

void YesNo::draw(Frame& frame, Rows row) const {
  const Rows most{std::clamp(row.value + 1, 1, kMostRows)};
  const Cols beside_cursor{std::max(frame.cols().value - 1, 1)};
  const std::vector<Line> all = lines(beside_cursor, most);
  const int n = std::min(static_cast<int>(all.size()), most.value);
  for (int i = 0; i < n; ++i) {
    const Rows at{row.value - i};
    frame.fill(at, {});
    frame.write({at, Cols{0}}, all[all.size() - 1 - static_cast<std::size_t>(i)]);
  }
  const int behind = width(all.back()).value + 1;
  frame.cursor = Point{row, Cols{std::clamp(behind, 0, frame.cols().value - 1)}};
}

}  // namespace confab::ui
