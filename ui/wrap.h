// SPDX-License-Identifier: MIT
// Sanitised text broken into screen lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

inline constexpr Cols kTabStop{4};

// Lines of at most `width` columns (widths below one count as one). Breaks at spaces, which are
// dropped there, and on either side of a wide character; a longer word is cut where the line ends.
// A \n always ends the line. Leading spaces are kept on the first line of each \n; no line ends in
// a space. A character wider than the width gives way to an ellipsis. Never empty: no text is one
// empty line. Tabs reach to the next multiple of kTabStop.
std::vector<Line> wrap_words(std::span<const Span> spans, Cols width);

// The same of an untrusted text in one style.
std::vector<Line> wrap_text(std::string_view text, const Style& style, Cols width);

// As wrap_words, for a list with columns: where a line of the text ends in a column of its own,
// behind two spaces or more, what it does not hold goes on in that column if at least half of the
// width is right of it.
std::vector<Line> wrap_hanging(std::string_view text, const Style& style, Cols width);

// As wrap_words, but breaks only where a line is full and keeps every space but those at the end
// of a \n: for code.
std::vector<Line> wrap_columns(std::span<const Span> spans, Cols width);

Cols width(const Line& line);
// The characters alone, without styles.
std::string to_text(const Line& line);
std::string to_text(std::span<const Line> lines);  // each ends with \n

}  // namespace confab::ui
