// SPDX-License-Identifier: MIT
// Finds an entry of a list by a few of its letters.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace confab::ui {

struct FuzzyMatch {
  int score = 0;                // higher is better; comparable only within one query
  std::vector<std::size_t> at;  // byte offsets of the matching characters, ascending
};

// Matches the text against a query of words separated by spaces. Every word must match: its letters
// must occur in the text in this order, with any letters in between. Letters at the beginning of
// words and adjacent letters score higher. An upper-case letter in the query matches only itself; a
// lower-case one matches both cases. An empty query matches everything. Only the first 512
// characters of the text and the first 64 of the query are considered.
std::optional<FuzzyMatch> fuzzy_match(std::string_view text, std::string_view query);

}  // namespace confab::ui
