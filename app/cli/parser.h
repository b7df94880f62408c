// SPDX-License-Identifier: MIT
// What the parts of the command line share.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/cli.h"

namespace CLI {
class App;
}

namespace confab::app {

inline constexpr const char* kVersion = "confab 0.1.0";

// llama.cpp's short spellings of several letters, which the parser would take for bundled flags.
inline constexpr std::array<std::pair<const char*, const char*>, 3> kLongSpelling{{
    {"-ctk", "--cache-type-k"},
    {"-ctv", "--cache-type-v"},
    {"-sys", "--system"},
}};

// Runs the parser; nullopt: parsed. Help and version come back as text. Throws UsageError.
std::optional<PrintAndExit> run_parser(CLI::App& app, std::vector<std::string> words);

}  // namespace confab::app
