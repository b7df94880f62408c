// SPDX-License-Identifier: MIT
// A message as it is typed where Enter sends it: """ blocks, and lines that end in a backslash.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

// The text begins with """ and does not end in another """: Enter is a line break in it.
bool is_open_block(std::string_view draft) noexcept;

// The text ends in a backslash that no other one stands for: Enter replaces it by a line break.
bool ends_in_backslash(std::string_view draft) noexcept;

// What is sent: without the """ around a block and the line breaks next to them.
std::string message_of(std::string_view draft);

}  // namespace confab::ui
