// SPDX-License-Identifier: MIT
#include "ui/input/prompt_line.h"

#include <algorithm>

#include "ui/text.h"

namespace confab::ui {
PromptLine::PromptLine(std::string_view label, std::string_view text)
    : label_(one_line(label)), text_(one_line(text)), caret_(text_.size()) {}

void PromptLine::set_label(std::string_view label) {
  label_ = one_line(label);
}

void PromptLine::insert(std::string_view text) {
  const std::string line = one_line(text);
  text_.insert(caret_, line);
  caret_ += line.size();
}

void PromptLine::paste(std::string_view text) {
  insert(text);
}

PromptLine::Outcome PromptLine::erase(std::size_t begin, std::size_t end) {
  if (begin == end) return Outcome::moved;
  text_.erase(begin, end - begin);
  caret_ = begin;
  return Outcome::edited;
}

// Returns where the character before the caret begins.
std::size_t PromptLine::before() const {
  std::size_t at = 0;
  while (at < caret_) {
    const std::size_t n = next_grapheme(std::string_view(text_).substr(at)).bytes.size();
    if (at + n >= caret_) return at;
    at += n;
  }
  return 0;
}

std::size_t PromptLine::after() const {
  return caret_ + next_grapheme(std::string_view(text_).substr(caret_)).bytes.size();
}

PromptLine::Outcome PromptLine::feed(const Key& key) {
  switch (key.code) {
    case Key::Code::enter:
      return Outcome::done;
    case Key::Code::escape:
      return Outcome::cancelled;
    case Key::Code::backspace:
      return erase(before(), caret_);
    case Key::Code::del:
      return erase(caret_, after());
    case Key::Code::left:
      caret_ = before();
      return Outcome::moved;
    case Key::Code::right:
      caret_ = after();
      return Outcome::moved;
    case Key::Code::home:
      return feed_control(U'a');
    case Key::Code::end:
      return feed_control(U'e');
    case Key::Code::character:
      break;
    default:
      return Outcome::unknown;
  }
  if (key.alt) return Outcome::unknown;
  if (key.ctrl) return feed_control(key.character);
  insert(to_utf8(key.character));
  return Outcome::edited;
}

PromptLine::Outcome PromptLine::feed_control(char32_t letter) {
  switch (letter) {
    case U'c':
    case U'g':
      return Outcome::cancelled;
    case U'a':
      caret_ = 0;
      return Outcome::moved;
    case U'e':
      caret_ = text_.size();
      return Outcome::moved;
    case U'h':
      return erase(before(), caret_);
    case U'u':
      return erase(0, caret_);
    case U'w': {
      const std::size_t end = text_.find_last_not_of(' ', caret_ == 0 ? 0 : caret_ - 1);
      const std::size_t space = end == std::string::npos ? end : text_.find_last_of(' ', end);
      return erase(space == std::string::npos ? 0 : std::min(space + 1, caret_), caret_);
    }
    default:
      return Outcome::unknown;
  }
}

void PromptLine::draw(Frame& frame, Rows row) const {
  for (int col = 0; col < frame.cols().value; ++col) frame.write({row, Cols{col}}, " ", {});
  Point at{row, Cols{0}};
  const Cols half{std::max(frame.cols().value / 2, 1)};
  at.col.value += frame.write(at, ellipsize(label_, half), {.role = Role::prompt}).value;
  if (!label_.empty()) at.col.value += frame.write(at, " ", {}).value;
  const int room = std::max(frame.cols().value - at.col.value - 1, 0);
  std::size_t first = 0;
  while (width(std::string_view(text_).substr(first, caret_ - first)).value > room)
    first += next_grapheme(std::string_view(text_).substr(first)).bytes.size();
  const std::string_view shown = std::string_view(text_).substr(first);
  frame.write(at, shown, {});
  const int caret = at.col.value + width(shown.substr(0, caret_ - first)).value;
  frame.cursor = Point{row, Cols{std::min(caret, frame.cols().value - 1)}};
}

}  // namespace confab::ui
