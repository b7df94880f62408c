// SPDX-License-Identifier: MIT
#include "ui/transcript/answer_columns.h"

#include <algorithm>
#include <utility>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr std::string_view kBetween = " │ ";
constexpr int kBetweenCols = 3;

void begin_column(Line& line, Cols begin) {
  if (begin.value == 0) return;
  const int n = begin.value - kBetweenCols - width(line).value;
  line.spans.push_back({std::string(static_cast<std::size_t>(std::max(n, 0)), ' '), {}});
  line.spans.push_back({std::string(kBetween), {.role = Role::rule}});
}

// Where they stand by themselves, links are not those of the entry.
void append_line(Line& to, const Line& line) {
  for (Span span : line.spans) {
    span.part = 0;
    to.spans.push_back(std::move(span));
  }
}

Line styled(std::string_view text, Cols width, Role role) {
  return {{{ellipsize(text, width), {.role = role}}}};
}

}  // namespace

AnswerColumns::AnswerColumns(std::size_t n_answers, MarkdownOptions options) {
  for (std::size_t i = 0; i < n_answers; ++i) columns_.push_back({MarkdownView(options)});
}

void AnswerColumns::append(std::size_t answer, std::string_view text) {
  columns_[answer].text.append(text);
}

void AnswerColumns::finish(std::size_t answer) {
  columns_[answer].text.finish();
}

void AnswerColumns::set_label(std::size_t answer, std::string_view label) {
  columns_[answer].label = one_line(label);
}

std::vector<Line> AnswerColumns::lines(Cols width) {
  const int n = static_cast<int>(size());
  const bool room = width.value >= n * kLeast.value + (n - 1) * kBetweenCols;
  return room ? side_by_side(width) : one_of_them(width);
}

// Under each its label, so that it is in view while the end is.
std::vector<Line> AnswerColumns::side_by_side(Cols width) {
  const int n = static_cast<int>(size());
  const Cols each{(width.value - (n - 1) * kBetweenCols) / n};
  std::size_t n_rows = 0;
  for (Column& column : columns_) n_rows = std::max(n_rows, column.text.lines(each).size());
  std::vector<Line> rows(n_rows + 3);  // a head, an empty one and a label
  for (std::size_t i = 0; i < size(); ++i) {
    const Cols begin{static_cast<int>(i) * (each.value + kBetweenCols)};
    for (Line& line : rows) begin_column(line, begin);
    const std::vector<Line>& text = columns_[i].text.lines(each);
    const Role role = i == shown_ ? Role::strong : Role::dim;
    const std::string mark = i == shown_ ? "▸ " : "";
    append_line(rows.front(), styled(mark + "Answer " + std::to_string(i + 1), each, role));
    for (std::size_t row = 0; row < text.size(); ++row) append_line(rows[row + 1], text[row]);
    append_line(rows.back(), styled(mark + columns_[i].label, each, role));
  }
  return rows;
}

std::string AnswerColumns::named(const std::string& name, std::size_t answer) const {
  const std::string& label = columns_[answer].label;
  return label.empty() ? name : name + ": " + label;
}

std::vector<Line> AnswerColumns::one_of_them(Cols width) {
  std::vector<Line> lines;
  for (const Line& line : columns_[shown_].text.lines(width))
    append_line(lines.emplace_back(), line);
  if (lines.empty()) lines.push_back(styled("…", width, Role::dim));
  lines.emplace_back();
  std::string counts =
      named("answer " + std::to_string(shown_ + 1) + " of " + std::to_string(size()), shown_);
  for (std::size_t i = 0; i < size(); ++i)
    if (i != shown_) counts += " · " + named(std::to_string(i + 1), i);
  for (Line& line : wrap_text(counts, {.role = Role::dim}, width)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace confab::ui
