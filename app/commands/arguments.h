// SPDX-License-Identifier: MIT
// What stands behind a command: its words and numbers.
#pragma once

#include <string>

namespace confab::app {

// The first word, which is taken off the text with the blanks behind it; empty: there is none.
std::string take_word(std::string& text);
// Throw UserError, with the usage.
int number_of(const std::string& text, int least, const char* usage);
// A number from 1 on; `none` for no text.
int count_of(const std::string& text, int none, const char* usage);

}  // namespace confab::app
