// SPDX-License-Identifier: MIT
// Breaks sanitised text into screen lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

inline constexpr Cols kTabStop{4};

// Breaks text into lines of at most `width` columns; a width below one counts as one. Lines break
// at spaces, which are dropped there, and on either side of a wide character. A word longer than
// the line is cut at the end of the line. A \n always ends the line. The first line after each \n
// keeps its leading spaces, and no line ends in a space. A character wider than the width becomes
// an ellipsis. Tabs reach to the next multiple of kTabStop. The result is never empty: empty text
// gives one empty line.
std::vector<Line> wrap_words(std::span<const Span> spans, Cols width);

// Like wrap_words(), for untrusted text in one style.
std::vector<Line> wrap_text(std::string_view text, const Style& style, Cols width);

// Like wrap_words(), for a list with columns. If the last column of a line begins after two or more
// spaces and does not fit, the rest of it continues in that column, provided that at least half of
// the width lies to the right of it.
std::vector<Line> wrap_hanging(std::string_view text, const Style& style, Cols width);

// Like wrap_words(), but for code: it breaks only full lines and keeps every space except those at
// the end of a line of the text.
std::vector<Line> wrap_columns(std::span<const Span> spans, Cols width);

Cols width(const Line& line);
// Returns the characters without styles.
std::string to_text(const Line& line);
std::string to_text(std::span<const Line> lines);  // each line ends with \n

}  // namespace confab::ui
