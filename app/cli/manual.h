// SPDX-License-Identifier: MIT
// The manual pages, generated from the tables that the program itself uses.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace confab::app {

// The manual page in roff for man(7): options from the parser of the chat, commands and keys from
// their tables.
std::string man_page(const CLI::App& chat);

// The page confab-config(5): the keys of config.toml, from their table.
std::string config_man_page();

// Escapes text so that troff prints it unchanged, even at the beginning of a line.
std::string roff_text(std::string_view text);

}  // namespace confab::app
