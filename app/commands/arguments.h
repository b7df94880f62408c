// SPDX-License-Identifier: MIT
// Parses the words and numbers of a command's argument.
#pragma once

#include <string>

namespace confab::app {

// Removes the first word from `text`, with the blanks after it, and returns it. Returns "" if
// `text` is empty.
std::string take_word(std::string& text);
// Throws UserError, which includes `usage`, unless `text` is a whole number of at least `least`.
int number_of(const std::string& text, int least, const char* usage);
// A number of at least 1, or `none` if `text` is empty. Throws like number_of().
int count_of(const std::string& text, int none, const char* usage);

}  // namespace confab::app
