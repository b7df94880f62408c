// SPDX-License-Identifier: MIT
// /compact and /forget: room in the context.
#pragma once

#include <span>

#include "app/commands/commands.h"

namespace confab::app {

std::span<const Command> compact_commands() noexcept;

}  // namespace confab::app
