// SPDX-License-Identifier: MIT
// What cmark makes of Markdown, turned into lines. Only markdown*.cpp need this.
#pragma once

#include <string>
#include <string_view>

#include "ui/markdown/markdown.h"
#include "ui/text.h"

struct cmark_node;

namespace confab::ui {

// A code block's info string, sanitised.
std::string code_info(cmark_node* code_block);
// Whether such a block is a formula.
bool is_math(std::string_view info);

// The lines and parts of a block and all that it contains, at a width of at least one column. Walks
// the tree without recursion, so that depth costs no stack; containers nested too deep for the
// width stop indenting.
void append_block(MarkdownLayout& out, cmark_node* block, Cols width, MarkdownOptions options);

}  // namespace confab::ui
