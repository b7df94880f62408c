// SPDX-License-Identifier: MIT
// Turns the text inside a paragraph or heading of a cmark tree into spans. Only the layout and the
// HTML use it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/markdown/markdown.h"
#include "ui/style.h"

struct cmark_node;

namespace confab::ui {

// The spans of one formula. The line breaks around a display formula are not part of it.
struct InlineFormula {
  std::size_t first_span;
  std::size_t n_spans;
  std::string tex;  // without its delimiters, sanitised
  bool display;     // is a display formula
  std::size_t end() const noexcept { return first_span + n_spans; }
};

// A span that holds a footnote's number or an HTML element with text in it.
struct InlineElement {
  std::size_t span;
  std::string_view name;  // "kbd", "sub" or "sup"
  std::string text;       // its text without the element
};

struct InlineText {
  std::vector<Span> spans;         // the spans of a link have its number, from 1
  std::vector<std::string> links;  // the targets; for a link in a link, the target of the outer one
  std::vector<InlineFormula> formulas;  // in order, without unfinished ones
  std::vector<InlineElement> elements;  // in order
};

// Returns the inlines of a block, with hard breaks as \n. `base` is the style of plain text. The
// walk does not recurse. A display formula takes several rows if `width`, the width of the lines to
// come, has room for them.
//
// Extensions of CommonMark: text between two pairs of tildes is struck through. (Single tildes,
// which GitHub accepts too, are not, because people write "3~5 and 6~7".) Bare links are links,
// <br> is a hard break, and <kbd>, <sub>, <sup> and footnotes are interpreted.
InlineText inline_text(cmark_node* block, const Style& base, MarkdownOptions options, Cols width);

// Adds the links of a text to `parts` after it was wrapped, and gives their spans the numbers that
// they have there. The wrapped lines follow the first `n_lines` lines of the layout.
void append_link_parts(std::vector<MarkdownPart>& parts, const InlineText& text,
                       std::span<Line> lines, std::size_t n_lines);

// A link that is written without any mark (GitHub Flavored Markdown 0.29, section 6.9).
struct BareLink {
  std::size_t begin, end;  // in the text
  std::string url;         // with a scheme even if the text has none
};

// Returns the first link that begins at `from` or later: http://, https://, www. or a mail address,
// without the punctuation that ends the sentence around it. Unlike on GitHub, it also ends at the
// wide punctuation of Chinese and Japanese. The total time is linear if each call continues at the
// end of the last link.
std::optional<BareLink> next_bare_link(std::string_view text, std::size_t from);

}  // namespace confab::ui
