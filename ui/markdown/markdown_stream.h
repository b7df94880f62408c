// SPDX-License-Identifier: MIT
// The Markdown of an answer that grows, laid out as far as it is known. Only markdown.cpp needs
// this; ui/markdown/markdown.h has the contract.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/code/code_block.h"
#include "ui/code/highlight.h"
#include "ui/markdown/markdown.h"
#include "ui/style.h"
#include "ui/text.h"

struct cmark_node;

namespace confab::ui {

struct ShieldedMarkdown;

// Text that is safe for copying, at a width of at least one column.
MarkdownLayout render_sanitized(std::string_view text, Cols width, MarkdownOptions options);

// The source is in three parts: [0, sealed_) is laid out for good in the first n_sealed_lines_ and
// n_sealed_parts_ of out_, [sealed_, complete_) is whole lines of blocks that may still change, and
// the rest is the line being written. What is sealed follows from whole lines alone, since
// CommonMark settles block structure line by line: they will say the same when more has come.
class MarkdownStream {
 public:
  explicit MarkdownStream(MarkdownOptions options) : options_(options) {}

  void append(std::string_view text) { add(sanitizer_.feed(text)); }
  void finish();
  bool finished() const noexcept { return finished_; }

  const MarkdownLayout& layout(Cols width);  // of at least one column
  std::size_t settled() const noexcept;
  void keep_settled();
  std::size_t n_kept_lines() const noexcept { return kept_.n_lines; }
  std::size_t n_kept_bytes() const noexcept { return kept_.n_bytes; }
  const std::string& source() const noexcept { return source_; }

 private:
  // A top-level list whose items but the last are sealed. The last one parses as a list by itself,
  // which has to be told where it stands in the whole.
  struct SealedItems {
    std::size_t begin;           // of the list in the source
    std::size_t n_lines_before;  // the list's first
    std::size_t n_parts_before;
    int next_number;  // of the item that is not sealed
    bool loose;
  };

  // A fence that is open; sealed_ is inside it.
  struct OpenCode {
    FencedLines fence;
    Highlighter highlighter;  // behind the sealed lines
    std::size_t part;
    std::size_t n_sealed_bytes = 0;  // of that part's source
  };

  // What is kept, and the whole lines that it followed from.
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
  // Lays out for good what the whole lines allow.
  void seal();
  // The whole lines of an open fence. True when it has been closed.
  bool seal_code();
  // All blocks but the last, and of that its items but the last or its lines of code. True when
  // there is reason to look again at what is left.
  bool seal_blocks();
  bool seal_part(cmark_node* block, std::string_view text, const ShieldedMarkdown& shielded);
  void open_code(const Fence& fence, const std::string& info);
  void put_code_bottom();
  void seal_items(cmark_node* list, cmark_node* last_item, std::size_t begin);
  // Tells a list that goes on from sealed items its number and spacing.
  void join_list(cmark_node* first);
  // The blocks that may still change.
  void show_rest();
  // The line being written inside a fence, unless it may become the one that closes it.
  void show_code(std::string_view line);
  void add_code_line(std::string_view line, Highlighter& highlighter);
  void append(cmark_node* block);

  MarkdownOptions options_;
  Sanitizer sanitizer_{SafeFor::copying};  // what is shown of it is sanitised anew
  std::string source_;
  bool finished_ = false;
  bool has_definitions_ = false;  // may have: a colon after a bracket is all that is looked for

  Cols width_{0};
  MarkdownLayout out_;
  std::size_t n_sealed_lines_ = 0;
  std::size_t n_sealed_parts_ = 0;
  std::size_t sealed_ = 0;
  std::size_t scanned_ = 0;   // complete_ when seal() last looked
  std::size_t complete_ = 0;  // after the last \n; the end when finished
  std::size_t shown_ = 0;     // the size of source_ that out_ shows
  bool stale_ = true;         // out_ shows something else than that
  std::optional<OpenCode> code_;
  std::optional<SealedItems> list_;        // sealed_ is at its next item
  std::optional<std::size_t> loose_list_;  // where a list begins that was found to be loose
  Kept kept_;
};

}  // namespace confab::ui
