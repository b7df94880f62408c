// SPDX-License-Identifier: MIT
// The part of the command line that is about saved conversations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/cli.h"

namespace confab::app {

// list, search, rename, pin, unpin, delete, export or import.
bool is_conversation_command(std::string_view word) noexcept;
std::vector<std::string_view> conversation_command_names();
// words: beginning with the command. Throws UsageError.
Invocation parse_conversation_command(std::vector<std::string> words);
void append_conversation_shapes(std::vector<CommandShape>& shapes);

}  // namespace confab::app
