// SPDX-License-Identifier: MIT
// The chat's commands on the tree of messages: handlers of the table in app/commands.cpp.
#pragma once

#include <string>

#include "app/commands.h"

namespace confab::app {

void run_retry(CommandContext& context, const std::string& argument);
void run_edit(CommandContext& context, const std::string& text);
void run_continue(CommandContext& context, const std::string& argument);
void run_fork(CommandContext& context, const std::string& title);
void run_branches(CommandContext& context, const std::string& argument);
void run_branch(CommandContext& context, const std::string& number);

}  // namespace confab::app
