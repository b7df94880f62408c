// SPDX-License-Identifier: MIT
// /copy: answers and their code to the clipboard.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> copy_commands() noexcept;

}  // namespace confab::app
