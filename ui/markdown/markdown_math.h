// SPDX-License-Identifier: MIT
// Formulas in Markdown's source: $…$ and \(…\) in a line, $$…$$ and \[…\] over several. CommonMark
// knows none of them and would take what is in them for its own marks. So they are found first, and
// shielded: every mark in them gives way to a character that means nothing to Markdown and is in no
// sanitised text (U+E0080 to U+E00FF). What becomes of it later, code or a link's target or text,
// reveal() gives back what was there.
//
// Money is no formula: what follows an opening $ is no space, what precedes a closing one neither,
// and no digit follows it (as pandoc has it), no letter or digit precedes an opening one, and
// between them there is more than numbers and words. Nor is anything a formula that has a backtick
// in it or an empty line, or that is nothing but marks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

struct ShieldedMarkdown {
  std::string text;  // with as many lines as the source
  // Lines, by number, that begin inside a formula: [first, second).
  std::vector<std::pair<std::size_t, std::size_t>> inside;

  bool is_inside(std::size_t line) const noexcept;
};

// The Markdown begins at a block. Where it goes on later (`open_ended`), a formula that its end
// leaves open is shielded too. The time is in proportion to the text.
ShieldedMarkdown shield_math(std::string_view sanitized, bool open_ended);

// Stands between a mark of emphasis and punctuation that would keep it from being one, and goes
// when the text is revealed.
inline constexpr std::string_view kJoint = "\U000E0085";

std::string reveal(std::string_view shielded);
// What stands for a mark there.
std::string shielded_mark(char mark);
// The same for a link's target or an info string, where a backslash before a mark is an escape that
// a shield has kept from being resolved.
std::string reveal_target(std::string_view shielded);

// A formula in shielded text.
struct Formula {
  std::string tex;  // without its delimiters
  bool display;     // stands alone
  bool open;        // its end is not there yet
};
// Where the first one begins; the size of the text when there is none.
std::size_t find_formula(std::string_view shielded);
// Where the one ends that begins at `from` or before it; npos when it goes on.
std::size_t formula_end(std::string_view shielded, std::size_t from);
// From all of its shielded text.
Formula read_formula(std::string_view shielded);
// The lines of one that stands alone, as it is written so far.
std::vector<std::string> source_rows(std::string_view tex);

}  // namespace confab::ui
