// SPDX-License-Identifier: MIT
// /model: another model answers.
#pragma once

#include <span>

#include "app/commands/commands.h"

namespace confab::app {

std::span<const Command> model_commands() noexcept;

}  // namespace confab::app
