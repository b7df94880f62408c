// SPDX-License-Identifier: MIT
// /retry, /edit, /continue and /undo: ask the last question again, or take it back.
#pragma once

#include <span>
#include <string>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> retry_commands() noexcept;

// Lets the model continue its last answer.
void run_continue(CommandContext& context, const std::string& argument);

}  // namespace confab::app
