// SPDX-License-Identifier: MIT
// Formulas in Markdown's source: $…$ and \(…\) in a line, $$…$$ and \[…\] over several lines.
// CommonMark does not know formulas and would interpret the marks in them. So they are found first
// and shielded: each mark in a formula is replaced by a character that means nothing to Markdown
// and does not occur in sanitised text (U+E0080 to U+E00FF). Whether the formula ends up in code,
// in a link's target or in text, reveal() restores it.
//
// Amounts of money are not formulas. So an opening $ must not follow a letter or digit and must not
// precede a space, and a closing $ must not follow a space or precede a digit (pandoc's rule). The
// text in between must be more than numbers and words. Text with a backtick or an empty line in it,
// or that consists only of marks, is not a formula either.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

struct ShieldedMarkdown {
  std::string text;  // has as many lines as the source
  // Numbers of the lines that begin inside a formula, as ranges [first, second).
  std::vector<std::pair<std::size_t, std::size_t>> inside;

  bool is_inside(std::size_t line) const noexcept;
};

// Shields the formulas of Markdown that begins at a block. With `open_ended` the text will
// continue, and a formula that is unfinished at its end is shielded too. The time is proportional
// to the text.
ShieldedMarkdown shield_math(std::string_view sanitized, bool open_ended);

// Stands between a mark of emphasis and punctuation that would keep the mark from working. reveal()
// removes it.
inline constexpr std::string_view kJoint = "\U000E0085";

std::string reveal(std::string_view shielded);
// Returns the character that replaces a mark.
std::string shielded_mark(char mark);
// Like reveal(), for a link's target or an info string. There a backslash before a mark is an
// escape, which the shield has kept cmark from resolving.
std::string reveal_target(std::string_view shielded);

// A formula in shielded text.
struct Formula {
  std::string tex;  // without its delimiters
  bool display;     // is a display formula
  bool open;        // its end has not come yet
};
// Returns where the first formula begins, or the size of the text if there is none.
std::size_t find_formula(std::string_view shielded);
// Returns where the formula that begins at `from` or earlier ends, or npos if it continues.
std::size_t formula_end(std::string_view shielded, std::size_t from);
// `shielded` must be exactly one formula.
Formula read_formula(std::string_view shielded);
// Returns the source lines of a display formula, as far as it is written.
std::vector<std::string> source_rows(std::string_view tex);

}  // namespace confab::ui
