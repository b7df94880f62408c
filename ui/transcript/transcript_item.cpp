// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_item.h"

#include <algorithm>
#include <array>
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

// Removes the part numbers, because links of a column are not parts of the entry.
void append_line(Line& to, const Line& line) {
  for (Span span : line.spans) {
    span.part = 0;
    to.spans.push_back(std::move(span));
  }
}

Line styled(std::string_view text, Cols width, Role role) {
  return {{{ellipsize(text, width), {.role = role}}}};
}

Line dim_line(std::string_view text, Cols width) {
  return styled(text, width, Role::dim);
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

// Each answer has its label below it, so that the label is in view together with the end.
std::vector<Line> AnswerColumns::side_by_side(Cols width) {
  const int n = static_cast<int>(size());
  const Cols each{(width.value - (n - 1) * kBetweenCols) / n};
  std::size_t n_rows = 0;
  for (Column& column : columns_) n_rows = std::max(n_rows, column.text.lines(each).size());
  std::vector<Line> rows(n_rows + 3);  // a head, an empty line and a label
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
  if (lines.empty()) lines.push_back(dim_line("…", width));
  lines.emplace_back();
  std::string counts =
      named("answer " + std::to_string(shown_ + 1) + " of " + std::to_string(size()), shown_);
  for (std::size_t i = 0; i < size(); ++i)
    if (i != shown_) counts += " · " + named(std::to_string(i + 1), i);
  for (Line& line : wrap_text(counts, {.role = Role::dim}, width)) lines.push_back(std::move(line));
  return lines;
}

TranscriptItem::TranscriptItem(Kind kind, std::string_view text, MarkdownOptions options,
                               MessageNumber number)
    : kind_(kind), options_(options), number_(number) {
  if (kind == Kind::answer) markdown_.emplace(options);
  folded_ = kind == Kind::reasoning;
  append(text);
}

void TranscriptItem::changed() noexcept {
  width_ = 0;
  ++revision_;
}

void TranscriptItem::append(std::string_view text) {
  if (markdown_)
    markdown_->append(text);
  else
    text_ += sanitizer_.feed(text);
  changed();
}

AnswerColumns& TranscriptItem::columns() noexcept {
  changed();
  return *columns_;
}

void TranscriptItem::finish() {
  if (markdown_)
    markdown_->finish();
  else
    text_ += sanitizer_.flush();
  finished_ = true;
  changed();
}

std::string_view TranscriptItem::source() const noexcept {
  if (columns_) return columns_->source();
  return markdown_ ? std::string_view(markdown_->source()) : std::string_view(text_);
}

void TranscriptItem::set_label(std::string_view label) {
  std::string safe = sanitize(label);
  std::ranges::replace(safe, '\n', ' ');
  if (std::exchange(label_, std::move(safe)) != label_) changed();
}

void TranscriptItem::fold(bool folded) {
  folded_ = folded;
  changed();
}

void TranscriptItem::show_raw(bool raw) {
  raw_ = raw;
  changed();
}

const std::vector<Line>& TranscriptItem::lines(Cols width) {
  if (width.value != width_) lay_out(width);
  width_ = width.value;
  return shows_markdown_ ? markdown_->lines(width) : lines_;
}

std::vector<MarkdownPart> TranscriptItem::parts(Cols width) {
  if (!markdown_ || folded_ || raw_) return {};
  std::vector<MarkdownPart> parts = markdown_->layout(width).parts;
  for (MarkdownPart& part : parts) part.first_line += label_.empty() ? 0 : 1;
  return parts;
}

std::size_t TranscriptItem::settled() const noexcept {
  if (finished_ && width_ != 0) return shows_markdown_ ? markdown_->settled() : lines_.size();
  return shows_markdown_ ? markdown_->settled() : 0;
}

void TranscriptItem::keep_settled() {
  if (shows_markdown_) markdown_->keep_settled();
}

std::size_t TranscriptItem::n_kept(Cols width) {
  const std::size_t n_lines = lines(width).size();
  if (!markdown_ || markdown_->n_kept_lines() == 0) return 0;
  if (folded_) return n_lines;
  return (label_.empty() ? 0 : 1) + (raw_ ? n_kept_raw(width) : markdown_->n_kept_lines());
}

std::size_t TranscriptItem::n_kept_raw(Cols width) const {
  std::string_view kept = source().substr(0, markdown_->n_kept_bytes());
  if (kept.ends_with('\n')) kept.remove_suffix(1);
  const std::array spans = {Span{sanitize(kept), {}}};
  return wrap_columns(spans, width).size();
}

void TranscriptItem::lay_out(Cols width) {
  lines_.clear();
  shows_markdown_ = false;
  if (kind_ == Kind::reasoning) return lay_out_reasoning(width);
  if (kind_ == Kind::answer) {
    lay_out_answer(width);
  } else if (columns_) {
    lines_ = columns_->lines(width);
  } else {
    append_label(width);
    const Role role = kind_ == Kind::user ? Role::user : Role::dim;
    for (Line& line : wrap_text(text_, {.role = role}, width)) lines_.push_back(std::move(line));
  }
  if (folded_) fold_lines(width);
}

void TranscriptItem::lay_out_answer(Cols width) {
  const std::string& source = markdown_->source();
  if (source.empty()) {
    append_label(width);
    if (!finished_) lines_.push_back(dim_line("…", width));
  } else if (raw_) {
    append_label(width);
    const std::array spans = {Span{sanitize(source), {.role = Role::text}}};
    for (Line& line : wrap_columns(spans, width)) lines_.push_back(std::move(line));
  } else if (label_.empty() && !folded_) {
    shows_markdown_ = true;
  } else {
    append_label(width);
    const std::vector<Line>& lines = markdown_->lines(width);
    lines_.insert(lines_.end(), lines.begin(), lines.end());
  }
}

void TranscriptItem::append_label(Cols width) {
  if (!label_.empty()) lines_.push_back(dim_line(label_, width));
}

void TranscriptItem::fold_lines(Cols width) {
  const std::size_t n_head = label_.empty() ? 1 : 2;
  if (lines_.size() <= n_head + 1) return;
  const std::size_t n_more = lines_.size() - n_head;
  lines_.resize(n_head);
  lines_.push_back(dim_line("… " + std::to_string(n_more) + " more lines", width));
}

// The label represents the reasoning; it is the line that opens and folds it.
void TranscriptItem::lay_out_reasoning(Cols width) {
  const std::string label = label_.empty() ? std::string("Thoughts") : label_;
  lines_.push_back(dim_line((folded_ ? "▸ " : "▾ ") + label, width));
  if (folded_) return;
  for (Line& line : wrap_text(text_, {.role = Role::dim}, width)) lines_.push_back(std::move(line));
}

}  // namespace confab::ui
