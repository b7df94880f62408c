// SPDX-License-Identifier: MIT
// /theme: other colours.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> theme_commands() noexcept;

}  // namespace confab::app
