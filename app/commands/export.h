// SPDX-License-Identifier: MIT
// /copy, /export, /dump and /import: copies text to the clipboard, and moves conversations in and
// out of files.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> copy_commands() noexcept;
std::span<const Command> export_commands() noexcept;  // /export, /dump and /import

}  // namespace confab::app
