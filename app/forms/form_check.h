// SPDX-License-Identifier: MIT
// Checks whether an answer has the expected form.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/expectation.h"

namespace confab::app {

// The fault of an answer, as a clause: "it has 4 items, not 3". Returns nullopt if there is
// none. An answer that was cut off is always rejected, because its last line may be incomplete.
//
//   list   one Markdown list and nothing else, or one unmarked item per line; nested items
//          do not count
//   code   a closed, non-empty code block in the language (by any of its names), with
//          anything around it
//   table  one Markdown table and nothing else: a header, and rows with as many cells
//   json   one valid value and nothing else, except a fence around it
std::optional<std::string> fault_of(std::string_view answer, const Expectation& expected,
                                    bool is_cut_off = false);

// The part of a valid answer that a program wants to read: JSON without its fence, anything else
// unchanged.
std::string_view content_of(std::string_view answer, const Expectation& expected);

// Says that all attempts (at least one) were refused. `faults` has one reason for each.
std::string refusal_of(const Expectation& expected, std::span<const std::string> faults);

}  // namespace confab::app
