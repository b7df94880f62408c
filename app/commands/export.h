// SPDX-License-Identifier: MIT
// /export, /dump and /import: conversations in and out of files.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> export_commands() noexcept;

}  // namespace confab::app
