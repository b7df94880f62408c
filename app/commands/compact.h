// SPDX-License-Identifier: MIT
// /compact and /forget: room in the context.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> compact_commands() noexcept;

// The conversation that goes on from a summary has been opened.
void tell_summary(CommandContext& context, const std::string& summary);

}  // namespace confab::app
