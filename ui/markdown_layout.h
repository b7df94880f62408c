// SPDX-License-Identifier: MIT
// What cmark makes of Markdown, turned into lines. Only markdown.cpp needs this.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ui/markdown.h"
#include "ui/style.h"
#include "ui/text.h"

struct cmark_node;

namespace confab::ui {

struct FreeNode {
  void operator()(cmark_node* node) const noexcept;
};
using MarkdownTree = std::unique_ptr<cmark_node, FreeNode>;

// A document node; its children are the top-level blocks.
MarkdownTree parse_markdown(std::string_view sanitized);

// The number of the line, from 0, that a block of such a tree begins on.
std::size_t first_line(cmark_node* block);

// The line that names the language of a code block, if it has one.
void append_code_label(std::vector<Line>& lines, cmark_node* code_block, Cols width);

// The lines of a block and all that it contains, at a width of at least one column. Walks the tree
// without recursion, so that depth costs no stack; containers nested too deep for the width stop
// indenting.
void append_block(std::vector<Line>& lines, cmark_node* block, Cols width, MarkdownOptions options);

}  // namespace confab::ui
