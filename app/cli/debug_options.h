// SPDX-License-Identifier: MIT
// The command line of `confab debug`.
#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// Its commands. Which model runs, and how, is said in `chat`; both must outlive the parsing.
void add_debug_options(CLI::App& app, DebugOptions& options, ChatOptions& chat);

}  // namespace confab::app
