// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_item.h"

#include <algorithm>
#include <array>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

Line dim_line(std::string_view text, Cols width) {
  return {{{ellipsize(text, width), {.role = Role::dim}}}};
}

}  // namespace

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

// The label stands for it, and is where it opens and folds.
void TranscriptItem::lay_out_reasoning(Cols width) {
  const std::string label = label_.empty() ? std::string("Thoughts") : label_;
  lines_.push_back(dim_line((folded_ ? "▸ " : "▾ ") + label, width));
  if (folded_) return;
  for (Line& line : wrap_text(text_, {.role = Role::dim}, width)) lines_.push_back(std::move(line));
}

}  // namespace confab::ui
