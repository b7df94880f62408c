// SPDX-License-Identifier: MIT
// /system, /set, /think, /nothink and /show: how answers are made. /theme: the colours.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> settings_commands() noexcept;
std::span<const Command> theme_commands() noexcept;

// The names that /set accepts.
std::vector<std::string> setting_names();

}  // namespace confab::app
