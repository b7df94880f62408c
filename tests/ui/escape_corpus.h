// SPDX-License-Identifier: MIT
// What may not reach a terminal: tests/data/escapes/corpus.txt.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace confab::ui {

const std::vector<std::string>& escape_corpus();

// Where to cut a text in two: everywhere, but in a long one at a hundred places from end to end.
std::vector<std::size_t> split_points(const std::string& text);

}  // namespace confab::ui
