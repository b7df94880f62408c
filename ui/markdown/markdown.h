// SPDX-License-Identifier: MIT
// CommonMark laid out for a screen, all at once or while it is still being written.
//
// The text is untrusted: it is made safe for copying on the way in, and for showing where lines are
// made of it, with everything that Markdown itself decodes (entities, link targets). No input makes
// the layout fail, recurse without bound or put out a line wider than asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

class MarkdownStream;

struct MarkdownOptions {
  // For terminals whose links cannot be clicked: the target, dim and in parentheses, after the
  // text of a link whose text does not already show it. Targets that are never clickable (paths,
  // schemes other than the web's and mail's) show so anyway.
  bool show_link_targets = false;
};

// What of an answer a person can step to and copy.
struct MarkdownPart {
  enum class Kind : std::uint8_t { code_block, table, link };
  Kind kind;
  std::size_t first_line;  // in MarkdownLayout::lines; of a code block, of its frame
  std::size_t n_lines;     // at least one
  // For copying: the code or the rows of the table as they were written, each line ended by \n and
  // without the marks of containers around it; or the link's target.
  std::string source;
  std::string language = {};  // of a code block: the first word behind its fence
  bool operator==(const MarkdownPart&) const = default;
};

struct MarkdownLayout {
  std::vector<Line> lines;
  // In the order of the text; a table before the links in it. The spans of a link have its number
  // here, from 1.
  std::vector<MarkdownPart> parts;
  bool operator==(const MarkdownLayout&) const = default;
};

// The whole text at once; widths below one column count as one.
MarkdownLayout render_markdown(std::string_view text, Cols width, MarkdownOptions options = {});

// An answer as it grows. Blocks that later text cannot change are laid out once; only the text from
// the start of the last block that may still change is parsed again, and that when lines are asked
// for, not when text arrives. So append costs the text appended, and layout() the open block (of an
// open fence: its new lines; of a list: its last item), whatever the length of the answer. An open
// block above 4 KB shows what is new when it has grown by a 32nd part, or is finished.
//
// After finish(), layout(w) == render_markdown(text, w), however the text was cut, but where
// keep_settled() keeps a link reference definition out.
class MarkdownView {
 public:
  explicit MarkdownView(MarkdownOptions options = {});
  ~MarkdownView();
  MarkdownView(MarkdownView&& other) noexcept;
  MarkdownView& operator=(MarkdownView&& other) noexcept;

  // Any cut will do, also inside a UTF-8 sequence: its bytes wait for the rest.
  void append(std::string_view text);
  // No text follows; idempotent. From here on a link reference definition reaches every block.
  void finish();
  bool finished() const noexcept;

  // What there is at a width; valid until the next call that is not const. A new width lays out
  // anew.
  const MarkdownLayout& layout(Cols width);
  const std::vector<Line>& lines(Cols width) { return layout(width).lines; }
  // How many of the first lines of the last layout() will not change while text is appended; but a
  // finish() that finds link reference definitions may change them still.
  std::size_t settled() const noexcept;
  // Those lines stand somewhere else now, and are to stay as they are: no link reference definition
  // reaches them any more, and at another width they hold the same text.
  void keep_settled();
  // How many of the first lines of the last layout() those are, and of the bytes of the source.
  std::size_t n_kept_lines() const noexcept;
  std::size_t n_kept_bytes() const noexcept;

  // The text so far as it was written, safe for copying (not for showing).
  const std::string& source() const noexcept;

 private:
  std::unique_ptr<MarkdownStream> stream_;
};

}  // namespace confab::ui
