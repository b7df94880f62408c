// SPDX-License-Identifier: MIT
// Markdown as cmark's tree, with what cmark does not know of put into it: task lists and tables.
// (Formulas are shielded from it, see markdown_math.h; strikethrough and bare links are found in
// the text of paragraphs, see markdown_inline.h.)
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct cmark_node;

namespace confab::ui {

struct FreeNode {
  void operator()(cmark_node* node) const noexcept;
};
using MarkdownTree = std::unique_ptr<cmark_node, FreeNode>;

// A document node as cmark gives it; its children are the top-level blocks.
MarkdownTree parse_commonmark(std::string_view text);
// Puts the extensions into what parse_commonmark() made of a text whose formulas are shielded.
void extend(cmark_node* document, std::string_view shielded);
// All of it.
MarkdownTree parse_markdown(std::string_view sanitized);

// The number of the line, from 0, that a block of such a tree begins or ends on.
std::size_t first_line(cmark_node* block);
std::size_t last_line(cmark_node* block);

// A list item that begins with [ ] or [x]; its text does not show that mark any more.
enum class Task : unsigned char { none, open, done };
Task task_of(cmark_node* item);

}  // namespace confab::ui
