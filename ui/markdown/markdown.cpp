// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown.h"

#include <cmark.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/code/code_block.h"
#include "ui/code/highlight.h"
#include "ui/markdown/markdown_layout.h"
#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_tail.h"
#include "ui/markdown/markdown_tree.h"
#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

// The source has three parts. [0, sealed_) is laid out for good in the first n_sealed_lines_ and
// n_sealed_parts_ of out_. [sealed_, complete_) is whole lines of blocks that may still change. The
// rest is the line being written. Sealing depends only on whole lines, because CommonMark settles
// block structure line by line, so later text does not change the result.
class MarkdownStream {
 public:
  explicit MarkdownStream(MarkdownOptions options) : options_(options) {}

  void append(std::string_view text) { add(sanitizer_.feed(text)); }
  void finish();
  bool finished() const noexcept { return finished_; }

  const MarkdownLayout& layout(Cols width);  // at least one column
  std::size_t settled() const noexcept;
  void keep_settled();
  std::size_t n_kept_lines() const noexcept { return kept_.n_lines; }
  std::size_t n_kept_bytes() const noexcept { return kept_.n_bytes; }
  const std::string& source() const noexcept { return source_; }

 private:
  // A top-level list of which all items except the last are sealed. The last item is parsed as a
  // list by itself, so its place in the whole list must be recorded.
  struct SealedItems {
    std::size_t begin;           // offset of the list in the source
    std::size_t n_lines_before;  // before the list
    std::size_t n_parts_before;
    int next_number;  // number of the item that is not sealed
    bool loose;
  };

  // An open fence. sealed_ is inside it.
  struct OpenCode {
    FencedLines fence;
    Highlighter highlighter;  // its state after the sealed lines
    std::size_t part;
    std::size_t n_sealed_bytes = 0;  // of the part's source
  };

  // The frozen beginning, and the whole lines that it was derived from.
  struct Kept {
    std::size_t complete = 0;
    std::size_t n_bytes = 0;
    std::size_t n_lines = 0;
  };

  void add(const std::string& text);
  void restart(Cols width);
  void seal_kept();
  void rewind(std::size_t sealed, std::size_t n_lines, std::size_t n_parts);
  bool is_due() const;
  void update();
  void drop_open();
  void mark_sealed();
  // Lays out for good as much as the whole lines allow.
  void seal();
  // Seals the whole lines of an open fence. Returns true if the fence has been closed.
  bool seal_code();
  // Seals all blocks except the last, and of the last its items except the last one, or its lines
  // of code. Returns true if the rest should be looked at again.
  bool seal_blocks();
  bool seal_part(cmark_node* block, std::string_view text, const ShieldedMarkdown& shielded);
  void open_code(const Fence& fence, const std::string& info);
  void put_code_bottom();
  void seal_items(cmark_node* list, cmark_node* last_item, std::size_t begin);
  // Gives a list that continues sealed items its number and spacing.
  void join_list(cmark_node* first);
  // Lays out the blocks that may still change.
  void show_rest();
  // Shows the line being written inside a fence, unless it may become the closing fence.
  void show_code(std::string_view line);
  void add_code_line(std::string_view line, Highlighter& highlighter);
  void append(cmark_node* block);

  MarkdownOptions options_;
  Sanitizer sanitizer_{SafeFor::copying};  // text is sanitised again for showing
  std::string source_;
  bool finished_ = false;
  bool has_definitions_ = false;  // only a guess: "]:" occurs in the source

  Cols width_{0};
  MarkdownLayout out_;
  std::size_t n_sealed_lines_ = 0;
  std::size_t n_sealed_parts_ = 0;
  std::size_t sealed_ = 0;
  std::size_t scanned_ = 0;   // complete_ at the last seal()
  std::size_t complete_ = 0;  // after the last \n; the end if finished
  std::size_t shown_ = 0;     // the size of source_ that out_ shows
  bool stale_ = true;         // out_ shows something else
  std::optional<OpenCode> code_;
  std::optional<SealedItems> list_;        // sealed_ is at the start of its next item
  std::optional<std::size_t> loose_list_;  // where a list found to be loose begins
  Kept kept_;
};

namespace {

// An open block of this size is laid out again only when it has grown by 1/kGrowth. So an endless
// block costs a constant amount per byte.
constexpr std::size_t kLargeBytes = 4096;
constexpr std::size_t kGrowth = 32;

// The offset of a line in a text, by its number.
std::size_t line_offset(std::string_view text, std::size_t line) {
  std::size_t offset = 0;
  for (; line > 0; --line) offset = text.find('\n', offset) + 1;
  return offset;
}

bool is_list(cmark_node* block) {
  return cmark_node_get_type(block) == CMARK_NODE_LIST;
}
bool is_loose(cmark_node* list) {
  return cmark_node_get_list_tight(list) == 0;
}

int count_children(cmark_node* node) {
  int n = 0;
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr;
       child = cmark_node_next(child))
    ++n;
  return n;
}

// Whether the text ends inside a paragraph or heading.
bool ends_in_inlines(const MarkdownTree& tree, std::string_view text) {
  cmark_node* block = tree.get();
  for (;;) {
    const cmark_node_type type = cmark_node_get_type(block);
    if (type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING) return true;
    cmark_node* last = cmark_node_last_child(block);
    if (last == nullptr) break;
    block = last;
  }
  if (!goes_on_with_footnote(block, text)) return false;
  const std::string_view rest = cmark_node_get_literal(block);
  return ends_in_inlines(parse_commonmark(rest), {});
}

// Whether `trimmed` is the text without spaces and line breaks at its end.
bool is_same_but_for_spaces(std::string_view trimmed, std::string_view text) {
  return text.starts_with(trimmed) &&
         text.find_first_not_of(" \t\n", trimmed.size()) == std::string_view::npos;
}

// Shows a fenced formula as code until the fence is closed.
void show_open_math_as_code(cmark_node* document, std::string_view text) {
  cmark_node* block = document;
  while (cmark_node* last = cmark_node_last_child(block)) block = last;
  if (cmark_node_get_type(block) != CMARK_NODE_CODE_BLOCK || !is_math(code_info(block))) return;
  while (text.ends_with('\n')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\n') + 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t>"), text.size()));
  const bool closed =
      !text.empty() && text.find_first_not_of(text[0] == '~' ? '~' : '`') == std::string_view::npos;
  if (!closed) cmark_node_set_fence_info(block, "");
}

// Lays out text that is safe for copying, at a width of at least one column.
MarkdownLayout render_sanitized(std::string_view text, Cols width, MarkdownOptions options) {
  MarkdownLayout out;
  const MarkdownTree tree = parse_markdown(text);
  for (cmark_node* block = cmark_node_first_child(tree.get()); block != nullptr;
       block = cmark_node_next(block)) {
    if (!out.lines.empty()) out.lines.push_back({});
    append_block(out, block, width, options);
  }
  return out;
}

Cols at_least_one(Cols width) {
  return std::max(width, Cols{1});
}

}  // namespace

void MarkdownStream::finish() {
  if (finished_) return;
  add(sanitizer_.flush());
  complete_ = source_.size();
  finished_ = stale_ = true;
  has_definitions_ = source_.find("]:") != std::string::npos;
}

const MarkdownLayout& MarkdownStream::layout(Cols width) {
  if (width != width_) restart(width);
  if (is_due()) update();
  return out_;
}

std::size_t MarkdownStream::settled() const noexcept {
  if (finished_ && !stale_) return out_.lines.size();
  return list_ && !list_->loose ? list_->n_lines_before : n_sealed_lines_;
}

void MarkdownStream::keep_settled() {
  const std::size_t n_bytes = list_ && !list_->loose ? list_->begin : sealed_;
  kept_ = {.complete = scanned_, .n_bytes = n_bytes, .n_lines = settled()};
}

void MarkdownStream::add(const std::string& text) {
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string::npos) complete_ = source_.size() + newline + 1;
  source_ += text;
}

void MarkdownStream::restart(Cols width) {
  width_ = width;
  rewind(0, 0, 0);
  loose_list_.reset();
  stale_ = true;
  if (kept_.n_lines > 0) seal_kept();
}

// Seals with what was known when the lines were kept.
void MarkdownStream::seal_kept() {
  const std::size_t complete = std::exchange(complete_, kept_.complete);
  const bool finished = std::exchange(finished_, false);
  seal();
  kept_.n_lines = settled();
  complete_ = complete;
  finished_ = finished;
}

void MarkdownStream::rewind(std::size_t sealed, std::size_t n_lines, std::size_t n_parts) {
  sealed_ = sealed;
  scanned_ = sealed;
  n_sealed_lines_ = n_lines;
  n_sealed_parts_ = n_parts;
  code_.reset();
  drop_open();
  list_.reset();
}

bool MarkdownStream::is_due() const {
  if (stale_) return true;
  const std::size_t grown = source_.size() - shown_;
  const std::size_t open = source_.size() - sealed_;
  return grown > 0 && (open <= kLargeBytes || grown * kGrowth >= open);
}

void MarkdownStream::update() {
  if (finished_ && has_definitions_ && kept_.n_lines == 0) {
    out_ = render_sanitized(source_, width_, options_);
  } else {
    drop_open();
    seal();
    show_rest();
  }
  shown_ = source_.size();
  stale_ = false;
}

// Removes everything that is not sealed.
void MarkdownStream::drop_open() {
  out_.lines.resize(n_sealed_lines_);
  out_.parts.resize(n_sealed_parts_);
  if (!code_) return;
  MarkdownPart& part = out_.parts[code_->part];
  part.source.resize(code_->n_sealed_bytes);
  part.n_lines = n_sealed_lines_ - part.first_line;
}

void MarkdownStream::mark_sealed() {
  n_sealed_lines_ = out_.lines.size();
  n_sealed_parts_ = out_.parts.size();
  if (code_) code_->n_sealed_bytes = out_.parts[code_->part].source.size();
}

void MarkdownStream::seal() {
  if (scanned_ == complete_) return;
  bool more = true;
  while (more && sealed_ < complete_) more = code_ ? seal_code() : seal_blocks();
  scanned_ = complete_;
}

bool MarkdownStream::seal_code() {
  while (sealed_ < complete_) {
    const std::size_t end = std::min(source_.find('\n', sealed_), source_.size());
    const std::string_view line = std::string_view(source_).substr(sealed_, end - sealed_);
    sealed_ = std::min(end + 1, source_.size());
    if (code_->fence.ends_at(line)) {
      put_code_bottom();
      code_.reset();
      mark_sealed();
      return true;
    }
    add_code_line(line, code_->highlighter);
    mark_sealed();
  }
  return false;
}

bool MarkdownStream::seal_blocks() {
  const std::string_view text = std::string_view(source_).substr(sealed_, complete_ - sealed_);
  const ShieldedMarkdown shielded = shield_markdown(text, !finished_);
  const MarkdownTree tree = parse_commonmark(shielded.text);
  extend(tree.get(), shielded.text);
  cmark_node* last = cmark_node_last_child(tree.get());
  // A block that begins inside a formula is not separate from it yet, and the rest of a footnote
  // stays with the footnote.
  while (last != nullptr && (is_rest_of_footnote(last) || shielded.is_inside(first_line(last))))
    last = cmark_node_previous(last);
  if (last == nullptr) return false;
  cmark_node* first = cmark_node_first_child(tree.get());
  if (list_ && !list_->loose && is_list(first) && is_loose(first)) {
    loose_list_ = list_->begin;
    rewind(list_->begin, list_->n_lines_before, list_->n_parts_before);
    return true;
  }
  join_list(first);
  for (cmark_node* block = first; block != last; block = cmark_node_next(block)) {
    append(block);
    list_.reset();
  }
  return seal_part(last, text, shielded);
}

bool MarkdownStream::seal_part(cmark_node* block, std::string_view text,
                               const ShieldedMarkdown& shielded) {
  std::size_t offset = line_offset(text, first_line(block));
  const std::size_t begin = sealed_ + offset;
  const std::string_view line = text.substr(offset, text.find('\n', offset) - offset);
  std::optional<Fence> fence;
  if (cmark_node_get_type(block) == CMARK_NODE_CODE_BLOCK && !is_math(code_info(block)))
    fence = parse_fence(line);
  if (fence) {
    open_code(*fence, code_info(block));
    offset = std::min(offset + line.size() + 1, text.size());
  } else if (is_list(block) && cmark_node_first_child(block) != cmark_node_last_child(block)) {
    cmark_node* item = cmark_node_last_child(block);
    if (!shielded.is_inside(first_line(item))) {
      offset = line_offset(text, first_line(item));
      seal_items(block, item, begin);
    }
  }
  sealed_ += offset;
  mark_sealed();
  return fence.has_value();
}

void MarkdownStream::open_code(const Fence& fence, const std::string& info) {
  if (!out_.lines.empty()) out_.lines.push_back({});
  code_ = OpenCode{FencedLines(fence, info), Highlighter(info), out_.parts.size()};
  out_.parts.push_back(
      {MarkdownPart::Kind::code_block, out_.lines.size(), 1, {}, std::string(code_language(info))});
  out_.lines.push_back(code_top(info, width_));
}

void MarkdownStream::put_code_bottom() {
  MarkdownPart& part = out_.parts[code_->part];
  out_.lines.push_back(code_bottom(width_));
  part.n_lines = out_.lines.size() - part.first_line;
}

void MarkdownStream::seal_items(cmark_node* list, cmark_node* last_item, std::size_t begin) {
  cmark_node_unlink(last_item);
  const MarkdownTree owner(last_item);
  SealedItems items =
      list_ ? *list_ : SealedItems{begin, out_.lines.size(), out_.parts.size(), 0, false};
  items.next_number = cmark_node_get_list_start(list) + count_children(list);
  items.loose = is_loose(list);
  append(list);
  list_ = items;
}

void MarkdownStream::join_list(cmark_node* first) {
  if (first == nullptr || !is_list(first)) return;
  if (list_) cmark_node_set_list_start(first, list_->next_number);
  if ((list_ && list_->loose) || loose_list_ == sealed_) cmark_node_set_list_tight(first, 0);
}

void MarkdownStream::show_rest() {
  std::string_view text = std::string_view(source_).substr(sealed_);
  if (code_) {
    show_code(text);
    if (finished_) put_code_bottom();
    return;
  }
  const ShieldedMarkdown shielded = shield_markdown(text, !finished_);
  text = shielded.text;
  if (!finished_) text = without_undecided_lines(text);
  std::string closed;
  MarkdownTree tree = parse_commonmark(text);
  if (!finished_ && ends_in_inlines(tree, text)) {
    closed = close_inlines(text);
    if (!is_same_but_for_spaces(closed, text)) tree = parse_commonmark(closed);
    text = closed;
  }
  extend(tree.get(), text);
  if (!finished_) show_open_math_as_code(tree.get(), text);
  join_list(cmark_node_first_child(tree.get()));
  for (cmark_node* block = cmark_node_first_child(tree.get()); block != nullptr;
       block = cmark_node_next(block))
    append(block);
}

void MarkdownStream::show_code(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return;
  const std::string_view marks = line.substr(first);
  if (marks.find_first_not_of(code_->fence.fence().mark) == std::string_view::npos) return;
  Highlighter highlighter = code_->highlighter;
  add_code_line(line, highlighter);
}

void MarkdownStream::add_code_line(std::string_view line, Highlighter& highlighter) {
  MarkdownPart& part = out_.parts[code_->part];
  const std::string code = strip_indent(code_->fence.fence(), line);
  append_code_line(out_.lines, sanitize(code), width_, highlighter);
  part.source += code;
  part.source += '\n';
  part.n_lines = out_.lines.size() - part.first_line;
}

void MarkdownStream::append(cmark_node* block) {
  const bool joins = list_ && cmark_node_previous(block) == nullptr && is_list(block);
  if (!out_.lines.empty() && (!joins || is_loose(block))) out_.lines.push_back({});
  append_block(out_, block, width_, options_);
}

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
