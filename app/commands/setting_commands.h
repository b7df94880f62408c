// SPDX-License-Identifier: MIT
// The chat's commands on the model and how it answers: handlers of the table in
// app/commands/commands.cpp.
#pragma once

#include <string>
#include <vector>

#include "app/commands/commands.h"

namespace confab::app {

void run_set(CommandContext& context, const std::string& setting);
void run_show(CommandContext& context, const std::string& what);
void run_system(CommandContext& context, const std::string& text);
void run_theme(CommandContext& context, const std::string& name);
void run_model(CommandContext& context, const std::string& name);

// What /set takes.
std::vector<std::string> setting_names();

}  // namespace confab::app
