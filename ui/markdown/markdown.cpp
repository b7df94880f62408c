// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown.h"

#include <algorithm>

#include "ui/markdown/markdown_stream.h"

namespace confab::ui {
namespace {

Cols at_least_one(Cols width) {
  return std::max(width, Cols{1});
}

}  // namespace

MarkdownLayout render_markdown(std::string_view text, Cols width, MarkdownOptions options) {
  return render_sanitized(sanitize(text, SafeFor::copying), at_least_one(width), options);
}

MarkdownView::MarkdownView(MarkdownOptions options)
    : stream_(std::make_unique<MarkdownStream>(options)) {}
MarkdownView::~MarkdownView() = default;
MarkdownView::MarkdownView(MarkdownView&& other) noexcept = default;
MarkdownView& MarkdownView::operator=(MarkdownView&& other) noexcept = default;

void MarkdownView::append(std::string_view text) {
  stream_->append(text);
}
void MarkdownView::finish() {
  stream_->finish();
}
bool MarkdownView::finished() const noexcept {
  return stream_->finished();
}
const MarkdownLayout& MarkdownView::layout(Cols width) {
  return stream_->layout(at_least_one(width));
}
std::size_t MarkdownView::settled() const noexcept {
  return stream_->settled();
}
void MarkdownView::keep_settled() {
  stream_->keep_settled();
}
std::size_t MarkdownView::n_kept_lines() const noexcept {
  return stream_->n_kept_lines();
}
std::size_t MarkdownView::n_kept_bytes() const noexcept {
  return stream_->n_kept_bytes();
}
const std::string& MarkdownView::source() const noexcept {
  return stream_->source();
}

}  // namespace confab::ui
