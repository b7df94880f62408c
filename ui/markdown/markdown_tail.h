// SPDX-License-Identifier: MIT
// The end of Markdown that is still being written, as it should show for now: what the next words
// may turn into something else is held back or taken for what it most likely becomes, so that the
// last line does not flicker between interpretations. Only markdown.cpp needs this.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

// The text without its last line while that is nothing but the beginning of a mark: "-" can become
// a list, a rule or the underline of a heading, "``" a fence, "12" a list, "- [" a task. The line
// of a fence waits for its end, a table's header and the delimiter row below it for the end of
// that, a cell for the pipe behind it.
std::string_view without_undecided_lines(std::string_view text);

// Text that ends inside a paragraph, with the emphasis, code and link open at its end closed, and
// without a last delimiter that has nothing behind it yet.
std::string close_inlines(std::string_view text);

}  // namespace confab::ui
