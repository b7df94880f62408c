// SPDX-License-Identifier: MIT
#include "ui/transcript/overlay.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/text.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr std::string_view kKeys = "Esc close · ↑↓ scroll · type to search";
constexpr std::string_view kSearchKeys = "Enter next · Esc clear";

// Splits a text into lines without their ends.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Overlay::Overlay(std::string_view title, std::string_view text)
    : title_(one_line(title)), text_(sanitize(text)), query_(title_ + " ›") {}

Overlay::Outcome Overlay::feed(const Key& key) {
  if (feed_scroll(key)) return Outcome::open;
  if (key.code == Key::Code::escape && !query_.text().empty()) {
    query_ = PromptLine(title_ + " ›");
    found_.clear();
    return Outcome::open;
  }
  switch (query_.feed(key)) {
    case PromptLine::Outcome::cancelled:
      return Outcome::left;
    case PromptLine::Outcome::done:
      if (query_.text().empty()) return Outcome::left;
      show_found(1);
      break;
    case PromptLine::Outcome::edited:
      find();
      break;
    default:
      break;
  }
  return Outcome::open;
}

bool Overlay::feed_scroll(const Key& key) {
  const auto scroll = [this](int n) {
    scroll_to(first_ + n);
    return true;
  };
  const bool control = key.ctrl && key.code == Key::Code::character;
  const int all = static_cast<int>(lines_.size());
  if (key.code == Key::Code::up || (control && key.character == U'p')) return scroll(-1);
  if (key.code == Key::Code::down || (control && key.character == U'n')) return scroll(1);
  if (key.code == Key::Code::wheel_up) return scroll(-3);
  if (key.code == Key::Code::wheel_down) return scroll(3);
  if (key.code == Key::Code::page_up) return scroll(-std::max(page_ - 1, 1));
  if (key.code == Key::Code::page_down) return scroll(std::max(page_ - 1, 1));
  if (!query_.text().empty()) return false;  // these keys move the caret then
  if (key.code == Key::Code::home) return scroll(-all);
  if (key.code == Key::Code::end) return scroll(all);
  return false;
}

void Overlay::scroll_to(int line) {
  first_ = std::clamp(line, 0, std::max(static_cast<int>(lines_.size()) - page_, 0));
}

void Overlay::paste(std::string_view text) {
  query_.paste(text);
  find();
}

// The search starts at the first line in view.
void Overlay::find() {
  found_ = find_text(lines_, query_.text());
  const auto below = std::ranges::find_if(found_, [this](const TextMatch& match) {
    return static_cast<int>(match.front().line) >= first_;
  });
  current_ = below == found_.end() ? 0 : static_cast<std::size_t>(below - found_.begin());
  show_found(0);
}

void Overlay::show_found(int direction) {
  if (found_.empty()) return;
  const std::size_t n = found_.size();
  current_ = (current_ + n + static_cast<std::size_t>(direction)) % n;
  const int line = static_cast<int>(found_[current_].front().line);
  if (line >= first_ && line < first_ + page_) return;
  scroll_to(line - page_ / 2);
}

std::string Overlay::found_text() const {
  if (query_.text().empty()) return std::string(kKeys);
  if (found_.empty()) return "not found · Esc clear";
  return std::to_string(current_ + 1) + " of " + std::to_string(found_.size()) + " · " +
         std::string(kSearchKeys);
}

// --- drawing

void Overlay::lay_out(Cols width) {
  if (width == width_) return;
  width_ = width;
  lines_.clear();
  for (const std::string_view line : split(text_)) {
    const Role role = line.ends_with(':') ? Role::heading : Role::text;
    for (Line& row : wrap_hanging(line, {.role = role}, width)) lines_.push_back(std::move(row));
  }
  found_ = find_text(lines_, query_.text());
  current_ = std::min(current_, found_.empty() ? 0 : found_.size() - 1);
}

Line Overlay::marked(std::size_t line) const {
  Line out = lines_[line];
  for (std::size_t i = 0; i < found_.size(); ++i)
    for (const LineRange& range : found_[i])
      if (range.line == line)
        out = with_role(out, range.begin, range.end,
                        i == current_ ? Role::match_current : Role::match);
  return out;
}

void Overlay::draw(Frame& frame) {
  frame = Frame(frame.rows(), frame.cols());
  const int n_rows = frame.rows().value;
  const int margin = frame.cols().value >= 8 ? 2 : 0;
  lay_out(Cols{std::max(frame.cols().value - 2 * margin, 1)});
  const int n_keys = n_rows >= 4 ? 1 : 0;
  page_ = std::max(n_rows - 1 - n_keys, 1);
  scroll_to(first_);
  for (int row = 0; row < page_ && first_ + row < static_cast<int>(lines_.size()); ++row)
    frame.write({Rows{row + 1}, Cols{margin}}, marked(static_cast<std::size_t>(first_ + row)));
  query_.draw(frame, Rows{0});
  if (n_keys == 0) return;
  std::string keys = found_text();
  if (static_cast<int>(lines_.size()) > page_)
    keys += " · " + std::to_string(std::min(first_ + page_, static_cast<int>(lines_.size()))) +
            "/" + std::to_string(lines_.size());
  frame.write({Rows{n_rows - 1}, Cols{0}}, ellipsize(keys, frame.cols()), {.role = Role::dim});
}

}  // namespace confab::ui
