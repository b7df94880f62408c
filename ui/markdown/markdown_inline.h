// SPDX-License-Identifier: MIT
// The text inside a paragraph or heading of a cmark tree, as spans. Only the layout and the HTML
// need this.
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

// Whole spans that are one formula; the line breaks around one that stands alone are not of it.
struct InlineFormula {
  std::size_t first_span;
  std::size_t n_spans;
  std::string tex;  // without its delimiters, sanitised
  bool display;     // stands alone
  std::size_t end() const noexcept { return first_span + n_spans; }
};

// A span that is a footnote's number or an element of HTML with text in it.
struct InlineElement {
  std::size_t span;
  std::string_view name;  // "kbd", "sub" or "sup"
  std::string text;       // as it is without that
};

struct InlineText {
  std::vector<Span> spans;              // those of a link have its number, from 1
  std::vector<std::string> links;       // their targets; of links in links, the outer one's
  std::vector<InlineFormula> formulas;  // in order, without those whose end is missing
  std::vector<InlineElement> elements;  // in order
};

// The block's inlines, hard breaks as \n; `base` is the style of plain text. Walks without
// recursion. Formulas that stand alone take several rows where `width`, that of the lines to come,
// has room for them. Beyond CommonMark, text between two pairs of tildes is struck through (not
// between single ones, which GitHub takes too: "3~5 and 6~7" is what people write), bare links are
// links, <br> is a hard break, and <kbd>, <sub>, <sup> and footnotes are what they mean.
InlineText inline_text(cmark_node* block, const Style& base, MarkdownOptions options, Cols width);

// Adds the links of a text that was wrapped, and whose lines follow the first `n_lines`; gives
// their spans the numbers that they have there.
void append_link_parts(std::vector<MarkdownPart>& parts, const InlineText& text,
                       std::span<Line> lines, std::size_t n_lines);

// Links that stand in text without any mark (GitHub Flavored Markdown 0.29, section 6.9).
struct BareLink {
  std::size_t begin, end;  // in the text
  std::string url;         // with the scheme that the text may lack
};

// The first link that begins at `from` or later: http://, https://, www. or a mail address, without
// the punctuation that ends the sentence around it. Unlike GitHub's, it also ends at the wide
// punctuation of Chinese and Japanese. Linear over all calls that go on from the last link's end.
std::optional<BareLink> next_bare_link(std::string_view text, std::size_t from);

}  // namespace confab::ui
