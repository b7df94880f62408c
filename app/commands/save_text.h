// SPDX-License-Identifier: MIT
// Text of a chat as files.
#pragma once

#include <string>
#include <string_view>

#include "app/commands/console.h"

namespace confab::app {

// What the name of a file with code in this language ends in: ".py"; ".txt" when it is not known.
std::string extension_of(std::string_view language);

// Writes a file of the name that a person gives, as app/save_file.h has it, and tells so. Asks
// first where there is one of that name. Throws UserError.
void save_text(Console& console, const std::string& path, std::string text);

}  // namespace confab::app
