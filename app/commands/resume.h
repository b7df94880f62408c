// SPDX-License-Identifier: MIT
// /new, /list, /search, /resume, /rename, /pin, /unpin and /delete: the saved conversations.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> resume_commands() noexcept;

// The database of this run. Throws UserError if there is none.
sessions::Store& store_of(const CommandContext& context);

// Deletes a conversation and its part of the prompt cache, and reports that. If it was open, a new
// conversation replaces it. Throws StoreError.
void delete_conversation(CommandContext& context, const sessions::Conversation& conversation);

}  // namespace confab::app
