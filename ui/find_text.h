// SPDX-License-Identifier: MIT
// Searches laid-out lines for text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ui/style.h"

namespace confab::ui {

struct LineRange {
  std::size_t line;
  std::size_t begin, end;  // byte offsets in the line's text
  bool operator==(const LineRange&) const = default;
};
// One match. It has several ranges if the match continues on the next line.
using TextMatch = std::vector<LineRange>;

// Returns all matches, from the top and without overlaps. The search ignores case unless `words`
// has a capital letter. A space matches any white space, including the end of a line. Empty `words`
// match nothing.
std::vector<TextMatch> find_text(std::span<const Line> lines, std::string_view words);

// Returns the line with bytes [begin, end) of its text in another role.
Line with_role(const Line& line, std::size_t begin, std::size_t end, Role role);

}  // namespace confab::ui
