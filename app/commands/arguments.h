// SPDX-License-Identifier: MIT
// Numbers behind a command.
#pragma once

#include <string>

namespace confab::app {

// Throw UserError, with the usage.
int number_of(const std::string& text, int least, const char* usage);
// A number from 1 on; `none` for no text.
int count_of(const std::string& text, int none, const char* usage);

}  // namespace confab::app
