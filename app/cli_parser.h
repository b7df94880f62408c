// SPDX-License-Identifier: MIT
// What the parts of the command line share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"

namespace CLI {
class App;
}

namespace confab::app {

inline constexpr const char* kVersion = "confab 0.1.0";

// Runs the parser; nullopt: parsed. Help and version come back as text. Throws UsageError.
std::optional<PrintAndExit> run_parser(CLI::App& app, std::vector<std::string> words);

}  // namespace confab::app
