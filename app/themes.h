// SPDX-License-Identifier: MIT
// Finds colour themes: the user's own first, then those shipped.
#pragma once

#include <string>

#include "app/paths.h"
#include "ui/theme.h"

namespace confab::app {

// name: a theme's name or the path of a TOML file (with a slash or ".toml"); empty: the default.
// Throws UserError for an unknown name (with the known ones), TerminalError for a file with faults.
ui::Theme find_theme(const std::string& name, const Paths& paths);

}  // namespace confab::app
