// SPDX-License-Identifier: MIT
// The manual page, made of the tables that the program itself reads.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace confab::app {

// roff for man(7): options from the parser of the chat, commands and keys from their tables.
std::string man_page(const CLI::App& chat);

// Text that troff sets as it is, also at the beginning of a line.
std::string roff_text(std::string_view text);

}  // namespace confab::app
