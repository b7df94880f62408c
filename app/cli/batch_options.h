// SPDX-License-Identifier: MIT
// The part of the command line that is `confab batch`'s own.
#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// `chat` gets what is asked for besides the requests. Both must outlive the parsing.
void add_batch_options(CLI::App& app, BatchOptions& options, ChatOptions& chat);

}  // namespace confab::app
