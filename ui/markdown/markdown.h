// SPDX-License-Identifier: MIT
// Lays CommonMark out for a screen, all at once or while it is still being written.
//
// The text is untrusted. It is made safe for copying when it comes in, and for showing when lines
// are made of it, including everything that Markdown decodes itself (entities, link targets). No
// input makes the layout fail, recurse without bound or produce a line wider than requested.
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
  // For terminals whose links cannot be clicked: shows the target, dim and in parentheses, after
  // the text of a link, unless the text shows it already. Targets that are never clickable (paths,
  // schemes other than the web's and mail's) are shown in any case.
  bool show_link_targets = false;
};

// A part of an answer that a person can step to and copy.
struct MarkdownPart {
  enum class Kind : std::uint8_t { code_block, table, link };
  Kind kind;
  std::size_t first_line;  // in MarkdownLayout::lines; of a code block, its upper rule
  std::size_t n_lines;     // at least one
  // The text to copy. For code and tables it is the source, without the marks of containers around
  // it, and each line ends with \n. For a link it is the target.
  std::string source;
  std::string language = {};  // of a code block: the first word after its fence
  bool operator==(const MarkdownPart&) const = default;
};

struct MarkdownLayout {
  std::vector<Line> lines;
  // The parts are in the order of the text; a table comes before the links in it. The spans of a
  // link refer to it by its number here, from 1.
  std::vector<MarkdownPart> parts;
  bool operator==(const MarkdownLayout&) const = default;
};

// Lays out a whole text. A width below one column counts as one.
MarkdownLayout render_markdown(std::string_view text, Cols width, MarkdownOptions options = {});

// An answer that grows. Blocks that later text cannot change are laid out once. Only the text from
// the start of the last open block is parsed again, and only when lines are requested, not when
// text arrives. So append() costs as much as the text appended. layout() costs as much as the open
// block (of an open fence its new lines, of a list its last item), whatever the length of the
// answer. An open block above 4 KB is updated only when it has grown by 1/32 or is finished.
//
// After finish(), layout(w) == render_markdown(text, w), however the text was cut. The exception is
// a link reference definition that arrives after keep_settled(), which does not affect the kept
// lines.
class MarkdownView {
 public:
  explicit MarkdownView(MarkdownOptions options = {});
  ~MarkdownView();
  MarkdownView(MarkdownView&& other) noexcept;
  MarkdownView& operator=(MarkdownView&& other) noexcept;

  // The text may be cut anywhere, even inside a UTF-8 sequence, whose bytes then wait for the rest.
  void append(std::string_view text);
  // Ends the text. Idempotent. After it, link reference definitions affect every block.
  void finish();
  bool finished() const noexcept;

  // Returns the layout at a width. It is valid until the next call of a non-const function. A new
  // width lays out everything again.
  const MarkdownLayout& layout(Cols width);
  const std::vector<Line>& lines(Cols width) { return layout(width).lines; }
  // How many of the first lines of the last layout() will not change while text is appended.
  // finish() may still change them if it finds link reference definitions.
  std::size_t settled() const noexcept;
  // Freezes the settled lines, because the caller has put them elsewhere. Link reference
  // definitions no longer affect them, and at another width they hold the same text.
  void keep_settled();
  // How many of the first lines of the last layout(), and of the first bytes of the source, are
  // frozen.
  std::size_t n_kept_lines() const noexcept;
  std::size_t n_kept_bytes() const noexcept;

  // The text so far as it was written, safe for copying (not for showing).
  const std::string& source() const noexcept;

 private:
  std::unique_ptr<MarkdownStream> stream_;
};

}  // namespace confab::ui
