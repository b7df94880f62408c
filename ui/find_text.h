// SPDX-License-Identifier: MIT
// Words looked for in laid-out lines.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ui/style.h"

namespace confab::ui {

struct LineRange {
  std::size_t line;
  std::size_t begin, end;  // bytes of the line's text
  bool operator==(const LineRange&) const = default;
};
// What was found in one place; in several lines where these break inside it.
using TextMatch = std::vector<LineRange>;

// All places, from the top, without overlaps. Letters match in either case unless the words have a
// capital; a space matches any white space, also the end of a line. No words: none.
std::vector<TextMatch> find_text(std::span<const Line> lines, std::string_view words);

// The line with bytes [begin, end) of its text in another role.
Line with_role(const Line& line, std::size_t begin, std::size_t end, Role role);

}  // namespace confab::ui
