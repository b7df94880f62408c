// SPDX-License-Identifier: MIT
// The chat's commands on the tree of messages: handlers of the table in app/commands/commands.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "app/commands/commands.h"

namespace confab::app {

// Opens a copy of the conversation up to this message (a number in Chat::messages()). An empty
// title is made from the original's. Throws UserError when the conversation is not saved.
void fork_at(CommandContext& context, std::size_t message, const std::string& title);
// Shows the next (1) or previous (-1) branch that begins at this message; false: there is none.
bool hop_branch(CommandContext& context, std::size_t message, int direction);

void run_retry(CommandContext& context, const std::string& argument);
void run_edit(CommandContext& context, const std::string& text);
void run_continue(CommandContext& context, const std::string& argument);
void run_fork(CommandContext& context, const std::string& title);
void run_pop(CommandContext& context, const std::string& argument);
void run_branches(CommandContext& context, const std::string& argument);
void run_branch(CommandContext& context, const std::string& number);

}  // namespace confab::app
