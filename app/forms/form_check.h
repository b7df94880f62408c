// SPDX-License-Identifier: MIT
// Whether an answer has the form that is expected of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/expectation.h"

namespace confab::app {

// What is wrong with an answer, as half a sentence: "it has 4 items, not 3"; nullopt: nothing. What
// is cut off is refused even if what there is of it has the form: its last line may lack something.
//
//   list   one Markdown list and nothing else, or a line an item, without marks; items of lists in
//          it do not count
//   code   a code block that is closed and not empty, of the language by any of its names, with
//          anything around it
//   table  one Markdown table and nothing else: a header, and rows of as many cells
//   json   one valid value and nothing else, but for a fence around it
std::optional<std::string> fault_of(std::string_view answer, const Expectation& expected,
                                    bool is_cut_off = false);

// Of an answer without a fault, what a program wants to read: JSON without its fence, and anything
// else as it is.
std::string_view content_of(std::string_view answer, const Expectation& expected);

// That all attempts were refused, one at least, each for one of these faults.
std::string refusal_of(const Expectation& expected, std::span<const std::string> faults);

}  // namespace confab::app
