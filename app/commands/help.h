// SPDX-License-Identifier: MIT
// /help and /exit: what there is, and the way out.
#pragma once

#include <span>

#include "app/commands/commands.h"

namespace confab::app {

std::span<const Command> help_commands() noexcept;
std::span<const Command> last_commands() noexcept;  // which stand last in lists

// What /help says: commands under their headings, then keys.
void show_commands(CommandContext& context);

}  // namespace confab::app
