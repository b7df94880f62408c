// SPDX-License-Identifier: MIT
// Footnotes in Markdown's source: [^1] where one is referred to, [^1]: at the beginning of a line
// where it stands. CommonMark knows neither, and would take the second for a link's target. So
// their brackets are shielded, as the marks of formulas are (see markdown_math.h).
//
// A label of up to three digits is a footnote's wherever it is, as it is referred to long before it
// stands there; another one (letters, digits, - and _) when the text has the footnote.
//
// What is indented by four columns below the paragraph that a footnote stands in is the rest of it
// and no code: markdown_tree.h has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace confab::ui {

// In a text whose formulas are shielded. The time is in proportion to the text.
std::string shield_footnotes(std::string shielded);

// Where the first one begins in shielded text that has no formula in it; the size of the text when
// there is none.
std::size_t find_footnote(std::string_view shielded);

// From where one begins.
struct Footnote {
  std::string_view label;
  std::size_t size;  // of the text that it takes
};
Footnote read_footnote(std::string_view shielded);
// Whether one stands there, when it is the beginning of a line.
bool stands_footnote(std::string_view shielded);

}  // namespace confab::ui
