// SPDX-License-Identifier: MIT
// Markdown as cmark's tree, extended by task lists, alerts, tables, the continuation of footnotes
// and a few HTML elements, which cmark does not know. (Formulas and footnotes are shielded from
// cmark, see markdown_math.h. Strikethrough and bare links are found in the text of paragraphs, see
// markdown_inline.h.)
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct cmark_node;

namespace confab::ui {

struct FreeNode {
  void operator()(cmark_node* node) const noexcept;
};
using MarkdownTree = std::unique_ptr<cmark_node, FreeNode>;

struct ShieldedMarkdown;
// Returns the text that cmark is to read, with formulas and footnotes shielded. `open_ended` is
// passed to shield_math().
ShieldedMarkdown shield_markdown(std::string_view sanitized, bool open_ended);

// Returns the document node that cmark makes. Its children are the top-level blocks.
MarkdownTree parse_commonmark(std::string_view text);
// Adds the extensions to a tree that parse_commonmark() made of shielded text.
void extend(cmark_node* document, std::string_view shielded);
// Does all of the above.
MarkdownTree parse_markdown(std::string_view sanitized);

// The number, from 0, of the line on which a block of such a tree begins or ends.
std::size_t first_line(cmark_node* block);
std::size_t last_line(cmark_node* block);

void move_children(cmark_node* to, cmark_node* from);

// Whether a block that cmark took for code continues a footnote, because it is indented below the
// footnote's paragraph. The block must come from parse_commonmark().
bool goes_on_with_footnote(cmark_node* block, std::string_view shielded);
// Whether extend() put this node in the place of such a block: a container without a line number.
// Only the paragraph before it distinguishes it from code.
bool is_rest_of_footnote(cmark_node* block);

// The state of a list item that begins with [ ] or [x]. The mark is removed from its text.
enum class Task : unsigned char { none, open, done };
Task task_of(cmark_node* item);

// A quote that begins with a line like [!NOTE]. That line is removed from its text.
struct Alert {
  std::string_view name;  // "Note", "Tip", "Important", "Warning" or "Caution"
  bool urgent;
};
const Alert* alert_of(cmark_node* quote);  // null if it is not an alert
// Whether a text begins with such a line or with a part of one.
bool begins_alert(std::string_view text);

// The HTML elements that are common in Markdown and can be shown as text. This one recognises <br>
// in all its spellings.
bool is_line_break(std::string_view tag);

// An element that contains only text, given its opening tag.
struct TextElement {
  std::string_view name = {};  // "kbd", "sub" or "sup"; empty for any other tag
  cmark_node* text = nullptr;
  cmark_node* end = nullptr;  // the closing tag
};
TextElement text_element(cmark_node* tag);

// The closing tag of the element that begins here. Empty if none begins.
std::string_view closing_tag(std::string_view text);
// Returns the text without an unfinished tag of one of these elements at its end.
std::string_view without_open_tag(std::string_view text);

}  // namespace confab::ui
