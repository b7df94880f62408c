// SPDX-License-Identifier: MIT
// /history, /branches, /branch, /fork and /pop: the tree of messages, and copies of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> branches_commands() noexcept;

// The open conversation with all its branches. Its head is the last message that is shown here:
// another program that has it open may show, and have stored, another one. Throws UserError when
// the conversation is not saved.
sessions::ConversationTree open_tree(const CommandContext& context);
// Opens a copy of the conversation up to this message (a number in Chat::messages()). An empty
// title is made from the original's. Throws UserError when the conversation is not saved.
void fork_at(CommandContext& context, std::size_t message, const std::string& title);
// Shows the next (1) or previous (-1) branch that begins at this message; false: there is none.
bool hop_branch(CommandContext& context, std::size_t message, int direction);

}  // namespace confab::app
