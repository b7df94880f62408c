// SPDX-License-Identifier: MIT
// Parts of an answer as files.
#pragma once

#include <string>
#include <string_view>

namespace confab::app {

// What the name of a file with code in this language ends in: ".py"; ".txt" when it is not known.
std::string extension_of(std::string_view language);

// Writes a new file, readable as the umask allows; "~/" is the home directory. Throws UserError,
// also when there is a file of that name.
void save_text(const std::string& path, std::string_view text);

}  // namespace confab::app
