// SPDX-License-Identifier: MIT
// The chat's commands on saved conversations: handlers of the table in app/commands/commands.cpp.
#pragma once

#include <string>

#include "app/commands/commands.h"

namespace confab::app {

// The database of this run. Throws UserError when there is none.
sessions::Store& store_of(const CommandContext& context);

void run_list(CommandContext& context, const std::string& argument);
void run_search(CommandContext& context, const std::string& words);
void run_resume(CommandContext& context, const std::string& name);
void run_rename(CommandContext& context, const std::string& title);
// Asks first, and deletes when the same command comes again.
void run_delete(CommandContext& context, const std::string& name);
void run_pin(CommandContext& context, const std::string& name);
void run_unpin(CommandContext& context, const std::string& name);
void run_export(CommandContext& context, const std::string& argument);
void run_dump(CommandContext& context, const std::string& path);
void run_import(CommandContext& context, const std::string& path);

}  // namespace confab::app
