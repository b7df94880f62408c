// SPDX-License-Identifier: MIT
// Finding an entry of a list by a few of its letters.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace confab::ui {

struct FuzzyMatch {
  int score = 0;                // higher is better; comparable for one query only
  std::vector<std::size_t> at;  // byte offsets of the characters that match, ascending
};

// Whether the words of the query, which are separated by spaces, can all be found in the text: each
// as letters in this order, with others between them. Letters at the beginning of words and next to
// each other count more. Upper case in the query stands for itself, lower case for both. No query
// matches everything. Texts and queries are looked at up to their first 512 and 64 characters.
std::optional<FuzzyMatch> fuzzy_match(std::string_view text, std::string_view query);

}  // namespace confab::ui
