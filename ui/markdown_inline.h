// SPDX-License-Identifier: MIT
// The text inside a paragraph or heading of a cmark tree, as spans. Only the layout needs this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/markdown.h"
#include "ui/style.h"

struct cmark_node;

namespace confab::ui {

// Spans of the block's inlines, hard breaks as \n; `base` is the style of plain text. Walks without
// recursion.
std::vector<Span> inline_spans(cmark_node* block, const Style& base, MarkdownOptions options);

// A link target that may be handed to a terminal: a web or mail address with every byte that is
// not printable ASCII percent-encoded. Empty for all else: a relative path means nothing there, and
// other schemes start programs.
std::string clickable_target(std::string_view url);

}  // namespace confab::ui
