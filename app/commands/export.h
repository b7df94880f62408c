// SPDX-License-Identifier: MIT
// /copy, /export, /dump and /import: text of the chat to the clipboard, and conversations in and
// out of files.
#pragma once

#include <span>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> copy_commands() noexcept;
std::span<const Command> export_commands() noexcept;  // /export, /dump and /import

}  // namespace confab::app
