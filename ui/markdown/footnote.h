// SPDX-License-Identifier: MIT
// Footnotes in Markdown's source: a reference [^1] in the text, and the footnote itself after [^1]:
// at the beginning of a line. CommonMark knows neither and would read the second as a link
// reference definition. So their brackets are shielded like the marks of formulas (see
// markdown_math.h).
//
// A label of up to three digits always marks a footnote, because its reference comes long before
// the footnote itself. Any other label (letters, digits, - and _) marks one only if the text has a
// footnote of that name.
//
// Text indented by four columns below the paragraph of a footnote continues the footnote and is not
// code; see markdown_tree.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace confab::ui {

// Shields the footnotes in a text whose formulas are shielded already. The time is proportional to
// the text.
std::string shield_footnotes(std::string shielded);

// Returns where the first footnote or reference begins in shielded text without formulas, or the
// size of the text if there is none.
std::size_t find_footnote(std::string_view shielded);

// The footnote or reference at the beginning of a text.
struct Footnote {
  std::string_view label;
  std::size_t size;  // bytes of the text
};
Footnote read_footnote(std::string_view shielded);
// Whether a text at the start of a line begins with a footnote itself, not with a reference.
bool stands_footnote(std::string_view shielded);

}  // namespace confab::ui
