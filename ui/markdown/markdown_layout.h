// SPDX-License-Identifier: MIT
// Turns cmark's tree into lines. Only markdown*.cpp include this.
#pragma once

#include <string>
#include <string_view>

#include "ui/markdown/markdown.h"
#include "ui/text.h"

struct cmark_node;

namespace confab::ui {

// Returns a code block's info string, sanitised.
std::string code_info(cmark_node* code_block);
// Whether a block with this info string is a formula.
bool is_math(std::string_view info);

// Appends the lines and parts of a block and its contents, at a width of at least one column. The
// walk does not recurse, so depth costs no stack. Containers nested too deep for the width are no
// longer indented.
void append_block(MarkdownLayout& out, cmark_node* block, Cols width, MarkdownOptions options);

}  // namespace confab::ui
