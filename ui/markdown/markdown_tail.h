// SPDX-License-Identifier: MIT
// The end of Markdown that is still being written, as it should show for now. Text that the next
// words may turn into something else is held back or treated as what it will most likely become, so
// that the last line does not flicker. Only markdown.cpp includes this.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

// Returns the text without its last line as long as that may be the beginning of a mark. "-" can
// become a list, a rule or the underline of a heading; "``" can become a fence, "12" a list and "-
// [" a task. The line of a fence waits for its end, the header of a table and the delimiter row
// below it for the end of that row, and a cell for the pipe after it.
std::string_view without_undecided_lines(std::string_view text);

// For text that ends inside a paragraph: closes the emphasis, code and link that are open at its
// end, and drops a last delimiter that nothing follows yet.
std::string close_inlines(std::string_view text);

}  // namespace confab::ui
