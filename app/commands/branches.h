// SPDX-License-Identifier: MIT
// /history, /branches, /branch, /fork and /pop: the tree of messages, and copies of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> branches_commands() noexcept;

// The open conversation with all its branches. Its head is the last message shown here; the head in
// the database may differ if another program has the conversation open. Throws UserError if the
// conversation is not saved.
sessions::ConversationTree open_tree(const CommandContext& context);
// Opens a copy of the conversation up to this message (an index into Chat::messages()). If `title`
// is empty, the copy gets a title made from the original's. Throws UserError if the conversation is
// not saved.
void fork_at(CommandContext& context, std::size_t message, const std::string& title);
// Shows the next (1) or previous (-1) branch that starts at this message. Returns false if there is
// no such branch.
bool hop_branch(CommandContext& context, std::size_t message, int direction);

}  // namespace confab::app
