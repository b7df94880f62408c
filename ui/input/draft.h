// SPDX-License-Identifier: MIT
// The syntax of a draft where Enter sends it: """ blocks, and lines that end in a backslash.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

// Whether the text begins with """ and does not end in another """. Enter breaks the line there.
bool is_open_block(std::string_view draft) noexcept;

// Whether the text ends in an unescaped backslash. Enter replaces it by a line break.
bool ends_in_backslash(std::string_view draft) noexcept;

// Returns the text to send: without the """ around a block and the line breaks next to them.
std::string message_of(std::string_view draft);

}  // namespace confab::ui
