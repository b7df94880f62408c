// SPDX-License-Identifier: MIT
// Markdown as cmark's tree, with what cmark does not know of put into it: task lists, alerts,
// tables and what goes on with a footnote. (Formulas and footnotes are shielded from it, see
// markdown_math.h; strikethrough and bare links are found in the text of paragraphs, see
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
// What cmark is to read: formulas and footnotes are shielded, with `open_ended` as shield_math()
// has it.
ShieldedMarkdown shield_markdown(std::string_view sanitized, bool open_ended);

// A document node as cmark gives it; its children are the top-level blocks.
MarkdownTree parse_commonmark(std::string_view text);
// Puts the extensions into what parse_commonmark() made of shielded text.
void extend(cmark_node* document, std::string_view shielded);
// All of it.
MarkdownTree parse_markdown(std::string_view sanitized);

// The number of the line, from 0, that a block of such a tree begins or ends on.
std::size_t first_line(cmark_node* block);
std::size_t last_line(cmark_node* block);

void move_children(cmark_node* to, cmark_node* from);

// Whether a block of parse_commonmark()'s is not the code that cmark takes it for: it is indented
// below the paragraph that a footnote stands in, and so goes on with that.
bool goes_on_with_footnote(cmark_node* block, std::string_view shielded);
// What extend() puts in the place of such a block: a container, which is on no line. It is told
// from code by the paragraph before it alone.
bool is_rest_of_footnote(cmark_node* block);

// A list item that begins with [ ] or [x]; its text does not show that mark any more.
enum class Task : unsigned char { none, open, done };
Task task_of(cmark_node* item);

// A quote that begins with [!NOTE] or the like on a line of its own; its text does not show that
// line any more.
struct Alert {
  std::string_view name;  // "Note", "Tip", "Important", "Warning" or "Caution"
  bool urgent;
};
const Alert* alert_of(cmark_node* quote);  // null: it is none
// Whether a text begins with the mark of one, in part or as a whole.
bool begins_alert(std::string_view text);

// The few elements of HTML that Markdown is written with and that text can show:
// <br>, as it may be written.
bool is_line_break(std::string_view tag);

// An element with nothing but text in it, from its first tag on.
struct TextElement {
  std::string_view name = {};  // "kbd", "sub" or "sup"; empty: it is none of these
  cmark_node* text = nullptr;
  cmark_node* end = nullptr;  // the tag that ends it
};
TextElement text_element(cmark_node* tag);

// The tag that ends the element that begins here; empty: none does.
std::string_view closing_tag(std::string_view text);
// The text without a tag of these that it ends inside of.
std::string_view without_open_tag(std::string_view text);

}  // namespace confab::ui
