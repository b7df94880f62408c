// SPDX-License-Identifier: MIT
#include "ui/input/yes_no.h"

#include <algorithm>

#include "ui/text.h"

namespace confab::ui {

YesNo::YesNo(std::string_view question) : question_(one_line(question)) {}

YesNo::Outcome YesNo::feed(const Key& key) const {
  if (key.code == Key::Code::escape) return Outcome::no;
  if (key.code != Key::Code::character || key.alt) return Outcome::open;
  const char32_t letter = key.character;
  if (key.ctrl) return letter == U'c' || letter == U'g' ? Outcome::no : Outcome::open;
  if (letter == U'y' || letter == U'Y') return Outcome::yes;
  return letter == U'n' || letter == U'N' ? Outcome::no : Outcome::open;
}

void YesNo::draw(Frame& frame, Rows row) const {
  constexpr std::string_view kKeys = " (y/n)";
  frame.fill(row, {});
  const Cols room{std::max(frame.cols().value - width(kKeys).value - 1, 1)};
  const Style style{.role = Role::prompt};
  int col = frame.write({row, Cols{0}}, ellipsize(question_, room), style).value;
  col += frame.write({row, Cols{col}}, kKeys, style).value;
  frame.cursor = Point{row, Cols{std::clamp(col + 1, 0, frame.cols().value - 1)}};
}

}  // namespace confab::ui
