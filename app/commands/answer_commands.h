// SPDX-License-Identifier: MIT
// The chat's commands on what was said: handlers of the table in app/commands/commands.cpp.
#pragma once

#include <string>

#include "app/commands/commands.h"

namespace confab::app {

void run_copy(CommandContext& context, const std::string& what);
void run_undo(CommandContext& context, const std::string& n);
void run_history(CommandContext& context, const std::string& n);
void run_think(CommandContext& context, const std::string& what);
void run_nothink(CommandContext& context, const std::string& argument);
// Asks the model for a summary and goes on in a new conversation that begins with it.
void run_compact(CommandContext& context, const std::string& argument);
void run_forget(CommandContext& context, const std::string& n);

}  // namespace confab::app
